package people_test

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

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/models"
)

// atWork is Alice, signed in at a browser, with a project.
func (e *embassy) atWork() (*browser, *storytest.Work) {
	e.T.Helper()
	b := e.browser()
	b.User = b.signIn("github", alice())
	var home struct{ Workspace core.Workspace }
	b.Must(http.StatusOK, http.MethodGet, "/auth/me", nil, &home)
	b.Workspace = home.Workspace.ID
	return b, b.Create("static-html")
}

// connect lets Alice grant a key.
func (b *browser) connect() {
	b.T.Helper()
	b.wantAt("connect", b.get(b.leave("/auth/github/assistant", alice())), "/settings/ai")
}

// own sends a message that spends the sender's own subscription.
func own(w *storytest.Work, chat core.ID, model string) (storytest.Answer, []storytest.Event) {
	w.T.Helper()
	body := map[string]any{"chatId": chat, "text": "hello", "provider": "own"}
	if model != "" {
		body["model"] = model
	}
	response := w.Open(w.T.Context(), http.MethodPost, "/chat/"+string(w.ID)+"/messages", body)
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK {
		return storytest.Answer{Status: http.StatusOK}, storytest.Events(w.T, response.Body)
	}
	content, err := io.ReadAll(response.Body)
	if err != nil {
		w.T.Fatal(err)
	}
	return storytest.Answer{Status: response.StatusCode, Header: response.Header, Body: content}, nil
}

// mustOwn is own in the default chat, ending well.
func mustOwn(w *storytest.Work, model string) {
	w.T.Helper()
	got, all := own(w, w.Chat, model)
	if last := storytest.LastOf(all); got.Status != http.StatusOK || last["type"] != "session.task_complete" {
		w.T.Fatalf("got %d %s, ending with %v, want a good run", got.Status, got.Body, last)
	}
}

// wantNone checks a message for which its sender has no subscription: as any message
// without a provider it ends with that.
func wantNone(w *storytest.Work, when string) {
	w.T.Helper()
	got, all := own(w, w.Chat, "")
	if last := storytest.LastOf(all); got.Status != http.StatusOK || len(all) != 2 || last["type"] != "session.error" || last["error"] != "no_provider" {
		w.T.Errorf("%s: got %d %s, ending with %v, want the final event no_provider", when, got.Status, got.Body, last)
	}
}

// wantAdvice checks a run that ended because the subscription has to be connected
// again.
func wantAdvice(w *storytest.Work, what string) {
	w.T.Helper()
	_, all := own(w, w.Chat, "")
	last := storytest.LastOf(all)
	message, _ := last["message"].(string)
	if last["type"] != "session.error" || last["error"] != "model_unavailable" || !strings.Contains(message, "/settings/ai") {
		w.T.Errorf("%s: got %v, want model_unavailable and where to connect again", what, last)
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
			wantNone(w, "before")
			b.connect()
			w.Must(http.StatusOK, http.MethodPatch, "/workspaces/"+string(w.Workspace), map[string]any{"creditLimit": 0}, nil)
			mustOwn(w, "")
			mustOwn(w, "openai/gpt-4o-mini")
			want := []string{"Alice " + models.OwnDefaultModel, "Alice openai/gpt-4o-mini"}
			if asked, _, _ := e.providers.seen(); !slices.Equal(asked, want) {
				t.Errorf("got %q asked, want %q", asked, want)
			}
			var usage struct {
				CreditUsed float64
				Items      []core.UsageRow
			}
			w.Must(http.StatusOK, http.MethodGet, "/workspaces/"+string(w.Workspace)+"/usage", nil, &usage)
			if usage.CreditUsed != 0 || len(usage.Items) != 0 {
				t.Errorf("got %+v, want nothing booked", usage)
			}
			if last := storytest.LastOf(w.Send("hello")); last["error"] != "credit_exhausted" {
				t.Errorf("the workspace's own: got %v, want credit_exhausted", last)
			}
			var list struct{ Items []core.Subscription }
			w.Must(http.StatusOK, http.MethodGet, "/users/me/ai-providers", nil, &list)
			if len(list.Items) != 1 || list.Items[0].Kind != "github" || list.Items[0].ExpiresAt != nil {
				t.Fatalf("got %+v, want the one, which does not run out", list.Items)
			}
			w.Must(http.StatusNoContent, http.MethodDelete, "/users/me/ai-providers/"+string(list.Items[0].ID), nil, nil)
			wantNone(w, "afterwards")
		})
	}
}

// TestNobodySpendsSomebodyElsesSubscription covers a team in which one member connected a
// subscription.
func TestNobodySpendsSomebodyElsesSubscription(t *testing.T) {
	e := newEmbassy(t, "local")
	b, w := e.atWork()
	b.connect()
	colleague := e.SignUp()
	member := core.Membership{WorkspaceID: w.Workspace, UserID: colleague.User.ID, Role: core.RoleAdmin, JoinedAt: core.At(time.Now())}
	if err := e.App.Store.Tables().Workspaces.PutMember(t.Context(), member); err != nil {
		t.Fatal(err)
	}
	theirs := &storytest.Work{Caller: colleague, Project: w.Project, Chat: w.Chat}
	wantNone(theirs, "a colleague")
	if got := colleague.Do(http.MethodGet, "/users/me/ai-providers", nil); string(got.Body) != `{"items":[]}`+"\n" {
		t.Errorf("got %s, want none of the colleague's", got.Body)
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
	if got := victim.get("/users/me/ai-providers"); string(got.Body) != `{"items":[]}`+"\n" {
		t.Errorf("got %s, want nothing connected", got.Body)
	}
	if got := e.browser().get(bait); got.Status != http.StatusUnauthorized {
		t.Errorf("signed out: got %d %s, want 401", got.Status, got.Body)
	}
}

// session is the browser's access cookie.
func (b *browser) session() *http.Cookie {
	b.T.Helper()
	root := b.request("/")
	for _, cookie := range b.Client.Jar.Cookies(root.URL) {
		if cookie.Name == "app_access_token" {
			return cookie
		}
	}
	b.T.Fatal("the browser has no session")
	return nil
}

func (b *browser) request(path string) *http.Request {
	b.T.Helper()
	request, err := http.NewRequestWithContext(b.T.Context(), http.MethodGet, b.URL+path, nil)
	if err != nil {
		b.T.Fatal(err)
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
			e.lapse(b.User.ID)
			chats := []core.ID{w.Chat}
			for range 3 {
				var chat core.Chat
				w.Must(http.StatusCreated, http.MethodPost, w.Path("/chats"), map[string]any{"mode": "chat"}, &chat)
				chats = append(chats, chat.ID)
			}
			var group sync.WaitGroup
			for _, chat := range chats {
				group.Go(func() {
					if _, all := own(w, chat, ""); storytest.LastOf(all)["type"] != "session.task_complete" {
						t.Errorf("got %v, want a good run", storytest.LastOf(all))
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
	e.T.Helper()
	tables := e.App.Store.Tables()
	all, err := tables.Subscriptions.List(e.T.Context(), user)
	if err != nil || len(all) != 1 {
		e.T.Fatalf("got %+v and %v, want one subscription", all, err)
	}
	past := core.At(time.Now().Add(-time.Minute))
	_, err = tables.Subscriptions.Update(e.T.Context(), all[0].ID, func(s *core.Subscription) error {
		s.ExpiresAt = &past
		return nil
	})
	if err != nil {
		e.T.Fatal(err)
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
				e.lapse(b.User.ID)
			}
			e.providers.revoke()
			for i := range 3 {
				wantAdvice(w, fmt.Sprintf("message %d", i+1))
			}
			if asked, renewals, refusals := e.providers.seen(); len(asked) != 0 || renewals+refusals != 1 {
				t.Errorf("got %d answers, %d renewals and %d refusals, want one attempt", len(asked), renewals, refusals)
			}
			b.connect()
			mustOwn(w, "")
		})
	}
}

// TestAQueuedRunStillKnowsWhoPaysAfterARestart stops the service in between.
func TestAQueuedRunStillKnowsWhoPaysAfterARestart(t *testing.T) {
	for _, name := range []string{"local", "local on PostgreSQL"} {
		t.Run(name, func(t *testing.T) {
			providers, program, dir := newProviderServer(t), storytest.Programs()[name], t.TempDir()
			env := providers.env()
			maps.Copy(env, program.Env(t))
			var run core.Run
			t.Run("before", func(t *testing.T) {
				e := &embassy{storytest.Serve(t, dir, program.Make, env), providers}
				b, w := e.atWork()
				b.connect()
				if err := e.App.StopRuns(t.Context()); err != nil {
					t.Fatal(err)
				}
				run = core.Run{
					ID: core.NewID(), ChatID: w.Chat, ProjectID: w.ID, WorkspaceID: w.Workspace, UserID: b.User.ID,
					Status: core.RunQueued, Text: "from the queue", OwnProvider: true, Detached: true, CreatedAt: core.At(time.Now()),
				}
				if err := e.App.Store.Tables().Runs.Create(t.Context(), run); err != nil {
					t.Fatal(err)
				}
			})
			e := &embassy{storytest.Serve(t, dir, program.Make, env), providers}
			b := e.browser()
			b.signIn("github", alice())
			stream := b.Open(t.Context(), http.MethodGet, "/chat/"+string(run.ProjectID)+"/stream"+storytest.Query("chatId", string(run.ChatID)), nil)
			defer stream.Body.Close()
			if last := storytest.LastOf(storytest.Events(t, stream.Body)); last["type"] != "session.task_complete" {
				t.Errorf("got %v, want the run done", last)
			}
			if asked, _, _ := providers.seen(); len(asked) != 1 || asked[0] != "Alice "+models.OwnDefaultModel {
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
	e := &embassy{storytest.Serve(t, dir, storytest.Programs()["local"].Make, providers.env()), providers}
	b, w := e.atWork()
	b.connect()
	mustOwn(w, "")
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
	b.Must(http.StatusCreated, http.MethodPost, "/auth/api-tokens", map[string]any{"name": "bot", "scopes": []string{"chat"}}, &made)
	program := &storytest.Work{Caller: &storytest.Caller{Site: e.Site, Token: made.Token}, Project: w.Project, Chat: w.Chat}
	mustOwn(program, "")
	if got := program.Do(http.MethodGet, "/users/me/ai-providers", nil); got.Status != http.StatusForbidden || got.Code() != core.CodeInsufficientScope {
		t.Errorf("got %d %s, want 403 insufficient_scope", got.Status, got.Body)
	}
}
