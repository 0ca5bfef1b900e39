package bootstrap_test

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/workspaces"
)

// atWork is Alice, signed in at a browser, with a project.
func (e *embassy) atWork() (*browser, *work) {
	e.t.Helper()
	b := e.browser()
	b.user = b.signIn("github", alice())
	var home struct{ Workspace core.Workspace }
	b.must(http.StatusOK, http.MethodGet, "/auth/me", nil, &home)
	b.workspace = home.Workspace.ID
	return b, b.create("static-html")
}

// connect lets Alice grant a key.
func (b *browser) connect() {
	b.t.Helper()
	b.wantAt("connect", b.get(b.leave("/auth/github/assistant", alice())), "/settings/ai")
}

// own sends a message that spends the sender's own subscription.
func (w *work) own(chat core.ID, model string) (answer, []event) {
	w.t.Helper()
	body := map[string]any{"chatId": chat, "text": "hello", "provider": "own"}
	if model != "" {
		body["model"] = model
	}
	response := w.open(w.t.Context(), http.MethodPost, "/chat/"+string(w.ID)+"/messages", body)
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK {
		return answer{status: http.StatusOK}, events(w.t, response.Body)
	}
	content, err := io.ReadAll(response.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, content}, nil
}

// mustOwn is own in the default chat, ending well.
func (w *work) mustOwn(model string) {
	w.t.Helper()
	got, all := w.own(w.chat, model)
	if last := lastOf(all); got.status != http.StatusOK || last["type"] != "session.task_complete" {
		w.t.Fatalf("got %d %s, ending with %v, want a good run", got.status, got.body, last)
	}
}

// wantNone checks a message for which its sender has no subscription: as any message
// without a provider it ends with that.
func (w *work) wantNone(when string) {
	w.t.Helper()
	got, all := w.own(w.chat, "")
	if last := lastOf(all); got.status != http.StatusOK || len(all) != 2 || last["type"] != "session.error" || last["error"] != "no_provider" {
		w.t.Errorf("%s: got %d %s, ending with %v, want the final event no_provider", when, got.status, got.body, last)
	}
}

func lastOf(all []event) map[string]any {
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1].data
}

// wantAdvice checks a run that ended because the subscription has to be connected
// again.
func (w *work) wantAdvice(what string) {
	w.t.Helper()
	_, all := w.own(w.chat, "")
	last := lastOf(all)
	message, _ := last["message"].(string)
	if last["type"] != "session.error" || last["error"] != "model_unavailable" || !strings.Contains(message, "/settings/ai") {
		w.t.Errorf("%s: got %v, want model_unavailable and where to connect again", what, last)
	}
}

func (p *providerServer) seen() (asked []string, renewals, refusals int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked), p.renewals, p.refusals
}

func TestAPersonSpendsTheirOwnSubscriptionAndNotTheWorkspacesCredit(t *testing.T) {
	for _, name := range []string{"local", "local on PostgreSQL"} {
		t.Run(name, func(t *testing.T) {
			e := newEmbassy(t, name)
			b, w := e.atWork()
			w.wantNone("before")
			b.connect()
			w.must(http.StatusOK, http.MethodPatch, "/workspaces/"+string(w.workspace), map[string]any{"creditLimit": 0}, nil)
			w.mustOwn("")
			w.mustOwn("openai/gpt-4o-mini")
			want := []string{"Alice " + workspaces.OwnDefaultModel, "Alice openai/gpt-4o-mini"}
			if asked, _, _ := e.providers.seen(); !slices.Equal(asked, want) {
				t.Errorf("got %q asked, want %q", asked, want)
			}
			var usage struct {
				CreditUsed float64
				Items      []core.UsageRow
			}
			w.must(http.StatusOK, http.MethodGet, "/workspaces/"+string(w.workspace)+"/usage", nil, &usage)
			if usage.CreditUsed != 0 || len(usage.Items) != 0 {
				t.Errorf("got %+v, want nothing booked", usage)
			}
			if last := lastOf(w.send("hello")); last["error"] != "credit_exhausted" {
				t.Errorf("the workspace's own: got %v, want credit_exhausted", last)
			}
			var list struct{ Items []core.Subscription }
			w.must(http.StatusOK, http.MethodGet, "/users/me/ai-providers", nil, &list)
			if len(list.Items) != 1 || list.Items[0].Kind != "github" || list.Items[0].ExpiresAt != nil {
				t.Fatalf("got %+v, want the one, which does not run out", list.Items)
			}
			w.must(http.StatusNoContent, http.MethodDelete, "/users/me/ai-providers/"+string(list.Items[0].ID), nil, nil)
			w.wantNone("afterwards")
		})
	}
}

// TestNobodySpendsSomebodyElsesSubscription covers a team of which one member
// connected theirs.
func TestNobodySpendsSomebodyElsesSubscription(t *testing.T) {
	e := newEmbassy(t, "local")
	b, w := e.atWork()
	b.connect()
	colleague := e.signUp()
	member := core.Membership{WorkspaceID: w.workspace, UserID: colleague.user.ID, Role: core.RoleAdmin, JoinedAt: core.At(time.Now())}
	if err := e.app.Store.Tables().Workspaces.PutMember(t.Context(), member); err != nil {
		t.Fatal(err)
	}
	theirs := &work{colleague, w.Project, w.chat}
	theirs.wantNone("a colleague")
	if got := colleague.do(http.MethodGet, "/users/me/ai-providers", nil); string(got.body) != `{"items":[]}`+"\n" {
		t.Errorf("got %s, want none of the colleague's", got.body)
	}
}

// TestTheAssistantsCallbackOfAnotherSignedInUser lets an attacker send a victim's
// browser, signed in, to the callback of an attempt that the attacker began: the
// victim would spend, and show their prompts to, the attacker's account.
func TestTheAssistantsCallbackOfAnotherSignedInUser(t *testing.T) {
	const refused = "/settings/ai?error=invalid_state"
	e := newEmbassy(t, "local")
	attacker, victim := e.browser(), e.browser()
	attacker.signIn("github", mallory())
	victim.signIn("github", alice())
	bait := attacker.leave("/auth/github/assistant", mallory())
	victim.wantAt("a victim who never left", victim.get(bait), refused)
	own := victim.leave("/auth/github/assistant", alice())
	victim.wantAt("a victim who did", victim.get(bait), refused)
	victim.wantAt("the attempt that the bait ended", victim.get(own), refused)
	// Both share one browser, one after the other.
	attacker.leave("/auth/github/assistant", mallory())
	planted := attacker.attempt("github/assistant")
	access := victim.session()
	victim.wantAt("with the attacker's cookie", victim.bring(bait, planted, access), refused)
	if got := victim.get("/users/me/ai-providers"); string(got.body) != `{"items":[]}`+"\n" {
		t.Errorf("got %s, want nothing connected", got.body)
	}
	if got := e.browser().get(bait); got.status != http.StatusUnauthorized {
		t.Errorf("signed out: got %d %s, want 401", got.status, got.body)
	}
}

// session is the browser's access cookie.
func (b *browser) session() *http.Cookie {
	b.t.Helper()
	root := b.request("/")
	for _, cookie := range b.http.Jar.Cookies(root.URL) {
		if cookie.Name == "app_access_token" {
			return cookie
		}
	}
	b.t.Fatal("the browser has no session")
	return nil
}

func (b *browser) request(path string) *http.Request {
	b.t.Helper()
	request, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.url+path, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return request
}

func TestParallelRunsRenewAKeyOnce(t *testing.T) {
	for _, name := range []string{"local", "local on PostgreSQL"} {
		t.Run(name, func(t *testing.T) {
			e := newEmbassy(t, name)
			e.providers.life = 8 * time.Hour
			b, w := e.atWork()
			b.connect()
			e.lapse(b.user.ID)
			chats := []core.ID{w.chat}
			for range 3 {
				var chat core.Chat
				w.must(http.StatusCreated, http.MethodPost, w.path("/chats"), map[string]any{"mode": "chat"}, &chat)
				chats = append(chats, chat.ID)
			}
			var group sync.WaitGroup
			for _, chat := range chats {
				group.Go(func() {
					if _, all := w.own(chat, ""); lastOf(all)["type"] != "session.task_complete" {
						t.Errorf("got %v, want a good run", lastOf(all))
					}
				})
			}
			group.Wait()
			if asked, renewals, refusals := e.providers.seen(); len(asked) != len(chats) || renewals != 1 || refusals != 0 {
				t.Errorf("got %d calls, %d renewals and %d refusals, want %d, one and none", len(asked), renewals, refusals, len(chats))
			}
		})
	}
}

// lapse lets a person's key run out.
func (e *embassy) lapse(user core.ID) {
	e.t.Helper()
	tables := e.app.Store.Tables()
	all, err := tables.Subscriptions.List(e.t.Context(), user)
	if err != nil || len(all) != 1 {
		e.t.Fatalf("got %+v and %v, want one subscription", all, err)
	}
	past := core.At(time.Now().Add(-time.Minute))
	_, err = tables.Subscriptions.Update(e.t.Context(), all[0].ID, func(s *core.Subscription) error {
		s.ExpiresAt = &past
		return nil
	})
	if err != nil {
		e.t.Fatal(err)
	}
}

func TestAKeyThatTheVendorNoLongerTakesIsNotTriedForEver(t *testing.T) {
	for name, lapsed := range map[string]bool{"in the middle of its life": false, "when it is renewed": true} {
		t.Run(name, func(t *testing.T) {
			e := newEmbassy(t, "local")
			e.providers.life = 8 * time.Hour
			b, w := e.atWork()
			b.connect()
			if lapsed {
				e.lapse(b.user.ID)
			}
			e.providers.revoke()
			for i := range 3 {
				w.wantAdvice(fmt.Sprintf("message %d", i+1))
			}
			if asked, renewals, refusals := e.providers.seen(); len(asked) != 0 || renewals+refusals != 1 {
				t.Errorf("got %d answers, %d renewals and %d refusals, want one attempt", len(asked), renewals, refusals)
			}
			b.connect()
			w.mustOwn("")
		})
	}
}

// TestAQueuedRunStillKnowsWhoPaysAfterARestart stops the service in between.
func TestAQueuedRunStillKnowsWhoPaysAfterARestart(t *testing.T) {
	for _, name := range []string{"local", "local on PostgreSQL"} {
		t.Run(name, func(t *testing.T) {
			providers, program, dir := newProviderServer(t), programs()[name], t.TempDir()
			env := providers.env()
			maps.Copy(env, program.env(t))
			var run core.Run
			t.Run("before", func(t *testing.T) {
				e := &embassy{serve(t, dir, program.make, env), providers}
				b, w := e.atWork()
				b.connect()
				if err := e.app.StopRuns(t.Context()); err != nil {
					t.Fatal(err)
				}
				run = core.Run{
					ID: core.NewID(), ChatID: w.chat, ProjectID: w.ID, WorkspaceID: w.workspace, UserID: b.user.ID,
					Status: core.RunQueued, Text: "from the queue", OwnProvider: true, Detached: true, CreatedAt: core.At(time.Now()),
				}
				if err := e.app.Store.Tables().Runs.Create(t.Context(), run); err != nil {
					t.Fatal(err)
				}
			})
			e := &embassy{serve(t, dir, program.make, env), providers}
			b := e.browser()
			b.signIn("github", alice())
			stream := b.open(t.Context(), http.MethodGet, "/chat/"+string(run.ProjectID)+"/stream"+query("chatId", string(run.ChatID)), nil)
			defer stream.Body.Close()
			if last := lastOf(events(t, stream.Body)); last["type"] != "session.task_complete" {
				t.Errorf("got %v, want the run done", last)
			}
			if asked, _, _ := providers.seen(); len(asked) != 1 || asked[0] != "Alice "+workspaces.OwnDefaultModel {
				t.Errorf("got %q asked, want the subscription", asked)
			}
		})
	}
}

// TestNoKeyLiesOpenOnTheDisk looks for the granted tokens in everything that the
// service wrote.
func TestNoKeyLiesOpenOnTheDisk(t *testing.T) {
	providers, dir := newProviderServer(t), t.TempDir()
	providers.life = 8 * time.Hour
	e := &embassy{serve(t, dir, programs()["local"].make, providers.env()), providers}
	b, w := e.atWork()
	b.connect()
	w.mustOwn("")
	files := 0
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		files++
		content, err := os.ReadFile(dir + "/" + path)
		for _, mark := range []string{"ghu_", "ghr_", clientSecret} {
			if strings.Contains(string(content), mark) {
				t.Errorf("%s: got a secret that begins with %s, want all sealed", path, mark)
			}
		}
		return err
	})
	if err != nil || files < 5 {
		t.Errorf("got %d files and %v, want the service's data", files, err)
	}
}

// TestAnAPITokenForChatsSpendsItsOwnersSubscription: a program may do in a chat what
// its owner may, but sees and changes nothing of the account.
func TestAnAPITokenForChatsSpendsItsOwnersSubscription(t *testing.T) {
	e := newEmbassy(t, "local")
	b, w := e.atWork()
	b.connect()
	var made struct{ Token string }
	b.must(http.StatusCreated, http.MethodPost, "/auth/api-tokens", map[string]any{"name": "bot", "scopes": []string{"chat"}}, &made)
	program := &work{&caller{site: e.site, token: made.Token}, w.Project, w.chat}
	program.mustOwn("")
	if got := program.do(http.MethodGet, "/users/me/ai-providers", nil); got.status != http.StatusForbidden || got.code() != core.CodeInsufficientScope {
		t.Errorf("got %d %s, want 403 insufficient_scope", got.status, got.body)
	}
}
