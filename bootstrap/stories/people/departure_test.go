package people_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	ws "github.com/coder/websocket"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/ports/conformance"
)

// long is the password of everybody in these stories.
var long = map[string]string{"password": "long enough"}

// leaver is somebody with work of their own, work in a company, and a workspace that they would leave
// without an owner.
type leaver struct {
	account
	company *storytest.Company
	dir     string
	// site is a published project of their own with data, shared one of the company.
	site, shared *storytest.Work
	address      string
	// held is the workspace of which they are the last owner.
	held  string
	token string
}

func newLeaver(t *testing.T, program storytest.Program) *leaver {
	t.Helper()
	dir := t.TempDir()
	c := storytest.NewCompany(storytest.Serve(t, dir, program.Make, program.Env(t)))
	l := &leaver{account: signUpAs(c.Site, "leaver@example.com"), company: c, dir: dir}
	if got := followProof(l.Caller, proofToken(c.Site, l.User.Email, 1), false); got.Status != http.StatusOK {
		t.Fatalf("verifying the address: got %d %s", got.Status, got.Body)
	}
	l.Workspace = l.ownSpace()
	l.site = l.Create(storytest.Template)
	l.site.Put(core.BackendSchemaPath, `{"collections":[{"name":"messages","createRule":"","fields":[{"name":"name","type":"text"}]}]}`)
	l.Must(http.StatusCreated, http.MethodPost, l.site.Path("/backend/test/collections/messages/records"), storytest.Fields{"name": "Ana"}, nil)
	var published struct{ URL string }
	l.Must(http.StatusOK, http.MethodPost, l.site.Path("/publish"), map[string]any{"slug": "leaving"}, &published)
	l.address = published.URL
	c.Hire(l.Caller, core.RoleMember)
	l.shared = l.InWorkspace(c.Owner.Workspace).Create(storytest.Template)
	l.shared.Send("what the leaver asked for")
	var held core.Workspace
	l.Must(http.StatusCreated, http.MethodPost, "/workspaces", map[string]string{"name": "Held"}, &held)
	l.held = "/workspaces/" + string(held.ID)
	seat(c.Site, held.ID, c.Member, core.RoleMember)
	var made struct{ Token string }
	l.Must(http.StatusCreated, http.MethodPost, "/auth/api-tokens", storytest.Fields{"name": "ci", "scopes": []string{"projects:read"}}, &made)
	l.token = made.Token
	return l
}

// wantMailed waits for the mail about the deletion.
func (l *leaver) wantMailed(says string) {
	l.T.Helper()
	sent := mailsOf(l.Site, l.User.Email, 1, func(subject string) bool { return subject == "Your Atelier account was deleted" })
	if !strings.Contains(sent[0].Text, says) || strings.Contains(sent[0].Text, l.URL) {
		l.T.Errorf("got %q, want that it says %q, without a link", sent[0].Text, says)
	}
}

// ownSpace is the person's only workspace.
func (a account) ownSpace() core.ID {
	a.T.Helper()
	spaces, err := a.App.Store.Tables().Workspaces.OfUser(a.T.Context(), a.User.ID)
	if err != nil || len(spaces) != 1 {
		a.T.Fatalf("got %v, %v, want one workspace", spaces, err)
	}
	return spaces[0].ID
}

// seat makes somebody a member.
func seat(s *storytest.Site, space core.ID, who *storytest.Caller, role core.Role) {
	s.T.Helper()
	err := s.App.Store.Tables().Workspaces.PutMember(s.T.Context(), core.Membership{WorkspaceID: space, UserID: who.User.ID, Role: role, JoinedAt: core.At(time.Now())})
	if err != nil {
		s.T.Fatal(err)
	}
}

// socket opens a socket into a project, which answers until it is closed.
func (l *leaver) socket(work *storytest.Work) *ws.Conn {
	l.T.Helper()
	address := "ws" + strings.TrimPrefix(l.URL, "http") + "/ws/project/" + string(work.ID)
	conn, _, err := ws.Dial(l.T.Context(), address, &ws.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + l.Token}}})
	if err != nil {
		l.T.Fatal(err)
	}
	l.T.Cleanup(func() { _ = conn.CloseNow() })
	return conn
}

func TestSomebodyLeavesForGood(t *testing.T) {
	storytest.OnBoth(t, func(t *testing.T, program storytest.Program) {
		t.Parallel()
		l := newLeaver(t, program)
		got := l.Refused(http.StatusConflict, core.CodeConflict, http.MethodDelete, "/auth/me", long)
		if !strings.Contains(string(got.Body), `Held`) || strings.Contains(string(got.Body), "Company") {
			t.Errorf("got %s, want the workspace that would lose its owner", got.Body)
		}
		l.Refused(http.StatusUnauthorized, core.CodeInvalidCredentials, http.MethodDelete, "/auth/me", map[string]string{"password": "not mine at all"})
		l.wantExport()
		l.Must(http.StatusOK, http.MethodPost, l.held+"/transfer", map[string]any{"userId": l.company.Member.User.ID}, nil)
		if traces := l.traces(); len(traces) < 2 {
			t.Fatalf("got the traces %v, want files and data", traces)
		}
		conn := l.socket(l.shared)
		if answer := l.Fetch(l.address); answer.Status != http.StatusOK {
			t.Fatalf("the site: got %d, want it published", answer.Status)
		}
		l.Must(http.StatusNoContent, http.MethodDelete, "/auth/me", long, nil)
		l.wantGone(conn)
		l.wantKept()
		l.wantAnew()
	})
}

// wantExport holds that the export has what is the leaver's, nothing of others and no secret.
func (l *leaver) wantExport() {
	l.T.Helper()
	var export accounts.Export
	answer := l.Must(http.StatusOK, http.MethodGet, "/auth/me/export", nil, &export)
	var lists struct {
		Log      []core.AuditEntry
		Messages []accounts.ExportedMessage
	}
	if err := json.Unmarshal(answer.Body, &lists); err != nil {
		l.T.Fatal(err)
	}
	if export.Account.Email != l.User.Email || !export.Account.HasPassword || len(export.Sessions) != 1 || len(export.APITokens) != 1 || len(export.Workspaces) != 3 {
		l.T.Errorf("got %+v, want the account, a session, a token and three workspaces", export)
	}
	if len(lists.Messages) != 1 || lists.Messages[0].Text != "what the leaver asked for" || len(lists.Log) < 3 || lists.Log[0].Action != core.AuditDataExported {
		l.T.Errorf("got %+v, want the message and the log", lists)
	}
	for _, other := range []*storytest.Caller{l.company.Owner, l.company.Member} {
		if strings.Contains(string(answer.Body), other.User.Email) {
			l.T.Errorf("got %s, want nothing of %s", answer.Body, other.User.Email)
		}
	}
	for what, secret := range map[string]string{"hash": "$argon2", "token": l.token, "refresh token": l.refresh} {
		if strings.Contains(string(answer.Body), secret) {
			l.T.Errorf("got the %s in the export", what)
		}
	}
}

// wantGone holds that nobody can act as the leaver, and that nothing of theirs alone is left.
func (l *leaver) wantGone(conn *ws.Conn) {
	l.T.Helper()
	l.Refused(http.StatusUnauthorized, core.CodeUnauthenticated, http.MethodGet, "/auth/me", nil)
	l.wantOver("deleted")
	program := &storytest.Caller{Site: l.Site, Token: l.token}
	program.Refused(http.StatusUnauthorized, core.CodeUnauthenticated, http.MethodGet, "/projects", nil)
	nobody := &storytest.Caller{Site: l.Site}
	nobody.Refused(http.StatusUnauthorized, core.CodeInvalidCredentials, http.MethodPost, "/auth/login", map[string]string{"email": l.User.Email, "password": "long enough"})
	closing := conformance.Bounded(l.T)
	for {
		_, _, err := conn.Read(closing)
		if err == nil {
			continue
		}
		if status := ws.CloseStatus(err); status == -1 || closing.Err() != nil {
			l.T.Errorf("the socket: got %v, want it closed", err)
		}
		break
	}
	conformance.Eventually(l.T, "the site is offline", func() bool { return l.Fetch(l.address).Status == http.StatusNotFound })
	conformance.Eventually(l.T, "the files are gone", func() bool { return len(l.traces()) == 0 })
	tables := l.App.Store.Tables()
	conformance.Eventually(l.T, "the workspace is gone", func() bool {
		_, err := tables.Workspaces.ByID(l.T.Context(), l.site.WorkspaceID)
		return core.IsCode(err, core.CodeNotFound)
	})
	published, err := filepath.Glob(filepath.Join(l.dir, "sites", "[^.]*"))
	if err != nil || len(published) != 0 {
		l.T.Errorf("got %v, %v, want no files of sites left", published, err)
	}
	l.wantMailed("The Atelier account of leaver@example.com was deleted")
}

// traces are the paths in the service's data that are named for the leaver's project: its files, its
// repository and its data.
func (l *leaver) traces() []string {
	l.T.Helper()
	var found []string
	err := filepath.WalkDir(l.dir, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && strings.Contains(entry.Name(), string(l.site.ID)) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		l.T.Fatal(err)
	}
	return found
}

// wantKept holds that the company has what the leaver made there.
func (l *leaver) wantKept() {
	l.T.Helper()
	for _, p := range []*storytest.Caller{l.company.Owner, l.company.Admin} {
		answer := p.Must(http.StatusOK, http.MethodGet, "/chat/"+string(l.shared.ID)+"/messages"+storytest.Query("chatId", string(l.shared.Chat)), nil, nil)
		if !strings.Contains(string(answer.Body), "what the leaver asked for") {
			l.T.Errorf("got %.500s, want the message", answer.Body)
		}
		p.Must(http.StatusOK, http.MethodGet, l.shared.Path("/files"), nil, nil)
		p.Must(http.StatusOK, http.MethodGet, l.shared.Path("/versions"), nil, nil)
	}
	owner := &storytest.Work{Caller: l.company.Owner, Project: l.shared.Project, Chat: l.shared.Chat}
	owner.Send("and what the owner asks for")
	if roles := l.company.Roles(l.company.Owner); len(roles) != 3 {
		l.T.Errorf("got %v, want three members", roles)
	}
	var log struct{ Items []core.AuditEntry }
	l.company.Owner.Must(http.StatusOK, http.MethodGet, l.company.Space+"/audit", nil, &log)
	if len(log.Items) == 0 || !strings.Contains(fmt.Sprint(log.Items), l.User.Email) {
		l.T.Errorf("got %+v, want the entries to keep who it was", log.Items)
	}
}

// wantAnew holds that the address gets a new account, which sees nothing of the one before.
func (l *leaver) wantAnew() {
	l.T.Helper()
	again := signUpAs(l.Site, l.User.Email)
	if again.User.ID == l.User.ID {
		l.T.Error("got the account from before")
	}
	for _, path := range []string{"/projects", "/auth/api-tokens", "/auth/identities", "/users/me/invites", "/users/me/ai-providers"} {
		var listed struct{ Items []any }
		again.Must(http.StatusOK, http.MethodGet, path, nil, &listed)
		if len(listed.Items) != 0 {
			l.T.Errorf("%s: got %v, want nothing", path, listed.Items)
		}
	}
	again.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodGet, l.site.Path(""), nil)
	again.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodGet, l.shared.Path(""), nil)
	var log struct{ Items []core.AuditEntry }
	again.Must(http.StatusOK, http.MethodGet, "/auth/me/audit", nil, &log)
	if len(log.Items) != 1 {
		l.T.Errorf("got %+v, want only the new sign-up", log.Items)
	}
}

func TestAnAdminDeletesSomebody(t *testing.T) {
	storytest.OnBoth(t, func(t *testing.T, program storytest.Program) {
		t.Parallel()
		l := newLeaver(t, program)
		admin, path := l.company.Owner, "/admin/users/"+string(l.User.ID)
		l.Refused(http.StatusForbidden, core.CodeForbidden, http.MethodDelete, path, nil)
		admin.Refused(http.StatusConflict, core.CodeConflict, http.MethodDelete, path, nil)
		l.Must(http.StatusOK, http.MethodPost, l.held+"/transfer", map[string]any{"userId": l.company.Member.User.ID}, nil)
		admin.Refused(http.StatusConflict, core.CodeConflict, http.MethodDelete, "/admin/users/"+string(admin.User.ID), nil)
		admin.Must(http.StatusNoContent, http.MethodDelete, path, nil, nil)
		l.wantOver("deleted by an admin")
		admin.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodDelete, path, nil)
		conformance.Eventually(t, "the site is offline", func() bool { return l.Fetch(l.address).Status == http.StatusNotFound })
		l.wantMailed("An administrator deleted the Atelier account of leaver@example.com")
	})
}

// TestDeletionsAndChangesOfOwnersLeaveNoWorkspaceWithoutOne lets two owners delete their accounts,
// hand over and step down at once, again and again.
func TestDeletionsAndChangesOfOwnersLeaveNoWorkspaceWithoutOne(t *testing.T) {
	storytest.OnBoth(t, func(t *testing.T, program storytest.Program) {
		t.Parallel()
		c := storytest.NewCompany(program.Serve(t))
		for round := range 6 {
			first, second := c.SignUp(), c.SignUp()
			var made core.Workspace
			first.Must(http.StatusCreated, http.MethodPost, "/workspaces", map[string]string{"name": "Shared"}, &made)
			space := "/workspaces/" + string(made.ID)
			seat(c.Site, made.ID, second, core.RoleOwner)
			seat(c.Site, made.ID, c.Member, core.RoleMember)
			acts := []func(){
				func() { first.Do(http.MethodDelete, "/auth/me", long) },
				func() { second.Do(http.MethodDelete, "/auth/me", long) },
				func() { first.Do(http.MethodPost, space+"/transfer", map[string]any{"userId": second.User.ID}) },
				func() {
					second.Do(http.MethodPatch, space+"/members/"+string(second.User.ID), map[string]any{"role": "member"})
				},
				func() { first.Do(http.MethodDelete, space+"/members/"+string(second.User.ID), nil) },
				func() { c.Owner.Do(http.MethodDelete, "/admin/users/"+string(second.User.ID), nil) },
			}
			var all sync.WaitGroup
			for _, act := range acts[:2+round%5] {
				all.Go(act)
			}
			all.Wait()
			owners, err := c.App.Store.Tables().Members.Owners(t.Context(), made.ID)
			if err != nil || owners < 1 {
				t.Fatalf("round %d: got %d owners, %v, want one that stays", round, owners, err)
			}
		}
	})
}

// TestTheRunsOfSomebodyWhoLeavesEnd deletes an account while the agent works for it, in a project of
// others and in one that goes.
func TestTheRunsOfSomebodyWhoLeavesEnd(t *testing.T) {
	storytest.OnBoth(t, func(t *testing.T, program storytest.Program) {
		t.Parallel()
		address, gone := storytest.SlowOllama(t)
		env := storytest.Merged(program.Env(t), map[string]string{"AI_PROVIDER": "ollama", "OLLAMA_HOST": address, "AI_MODEL": "m"})
		dir := t.TempDir()
		c := storytest.NewCompany(storytest.Serve(t, dir, program.Make, env))
		l := c.SignUp()
		own := l.Create(storytest.Template)
		c.Hire(l, core.RoleMember)
		shared := l.InWorkspace(c.Owner.Workspace).Create(storytest.Template)
		for _, work := range []*storytest.Work{own, shared} {
			defer work.OpenMessage(t.Context(), map[string]any{"text": "hi", "detach": true}).Body.Close()
		}
		owners := &storytest.Work{Caller: c.Owner, Project: shared.Project, Chat: shared.Chat}
		stays := stream(c.Owner, "/chat/"+string(shared.ID)+"/stream"+storytest.Query("chatId", string(shared.Chat)))
		l.Must(http.StatusNoContent, http.MethodDelete, "/auth/me", long, nil)
		for range 2 {
			conformance.Await(t, "the end of the model call", gone)
		}
		owners.WaitIdle()
		if heard := wantEnded(t, "a member's stream", stays); !strings.Contains(heard, `"reason":"stopped"`) {
			t.Errorf("got %s, want the end of the run told to those who stay", heard)
		}
		conformance.Eventually(t, "the own project is gone", func() bool {
			_, err := c.App.Store.Tables().Projects.ByID(t.Context(), own.ID)
			return core.IsCode(err, core.CodeNotFound)
		})
	})
}
