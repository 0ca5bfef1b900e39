package webhooks

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/storage"
)

// exchange is a workspace with people, a project and a receiver of webhooks at receiver.example.
type exchange struct {
	*Service
	t             *testing.T
	store         storage.Store
	guard         *memory.Guard
	mail          *mailer.Queue
	log           *conformance.Log
	space         core.Workspace
	project       core.Project
	owner, member core.Actor

	mu       sync.Mutex
	received []message
}

// message is a request that the receiver got.
type message struct {
	at     time.Time
	header http.Header
	body   string
}

func newExchange(t *testing.T) *exchange {
	t.Helper()
	x := &exchange{t: t, store: memory.NewStore(), guard: memory.NewGuard(), log: &conformance.Log{}}
	sealer := memory.NewSealer()
	log := slog.New(slog.NewTextHandler(x.log, nil))
	trail := audit.New(audit.Deps{Store: x.store, Gate: access.NewGate(x.store), Now: time.Now, Log: log})
	x.mail = mailer.New(sealer, time.Now)
	x.Service = NewService(ServiceDeps{Store: x.store, Queue: NewQueue(x.store, time.Now, log), Audit: trail, Sealer: sealer, Guard: x.guard, Now: time.Now})
	x.space = core.NewWorkspace("Team", false, nil, core.At(time.Now()))
	x.must(x.store.Tables().Workspaces.Create(t.Context(), x.space))
	x.owner, x.member = x.person(core.RoleOwner), x.person(core.RoleMember)
	x.project = x.newProject(x.space.ID)
	return x
}

func (x *exchange) must(err error) {
	x.t.Helper()
	if err != nil {
		x.t.Fatal(err)
	}
}

func (x *exchange) wantCode(err error, code core.Code) {
	x.t.Helper()
	if !core.IsCode(err, code) {
		x.t.Errorf("got %v, want code %s", err, code)
	}
}

func (x *exchange) person(role core.Role) core.Actor {
	x.t.Helper()
	user := core.User{ID: core.NewID(), Email: string(role) + "@example.com", EmailVerified: true}
	x.must(x.store.Tables().Users.Create(x.t.Context(), user))
	x.must(x.store.Tables().Workspaces.PutMember(x.t.Context(), core.Membership{WorkspaceID: x.space.ID, UserID: user.ID, Role: role}))
	return core.Actor{UserID: user.ID}
}

func (x *exchange) newProject(workspace core.ID, alter ...func(*core.Project)) core.Project {
	x.t.Helper()
	project := core.Project{ID: core.NewID(), WorkspaceID: workspace, Name: "Shop", Slug: string(core.NewID()), Visibility: core.VisibilityWorkspace, CreatedBy: x.owner.UserID}
	for _, alter := range alter {
		alter(&project)
	}
	x.must(x.store.Tables().Projects.Create(x.t.Context(), project))
	return project
}

// receive lets the receiver record every request and answer as told.
func (x *exchange) receive(answer http.HandlerFunc) { x.receiveAt("receiver.example", answer) }

func (x *exchange) receiveAt(host string, answer http.HandlerFunc) {
	x.guard.Handle(host, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		x.mu.Lock()
		x.received = append(x.received, message{time.Now(), r.Header.Clone(), string(body)})
		x.mu.Unlock()
		answer(w, r)
	}))
}

func (x *exchange) messages() []message {
	x.mu.Lock()
	defer x.mu.Unlock()
	return append([]message(nil), x.received...)
}

// webhook makes a webhook for all events of the workspace.
func (x *exchange) webhook(alter ...func(*Input)) Webhook {
	x.t.Helper()
	input := Input{URL: new("https://receiver.example/hook?key=secret"), Events: new(core.WebhookEvents())}
	for _, alter := range alter {
		alter(&input)
	}
	webhook, err := x.Create(x.t.Context(), x.owner, x.space.ID, input)
	x.must(err)
	return webhook
}

// worker returns the worker of a process.
func (x *exchange) worker() *Worker {
	return NewWorker(Deps{
		Queue: x.Queue, Store: x.store, Audit: x.Audit, Mail: x.mail, Sealer: x.Sealer, Guard: x.guard, Now: time.Now,
		Log: slog.New(slog.NewTextHandler(x.log, nil)),
	})
}

// start lets a worker work until the test ends.
func (x *exchange) start() *Worker {
	w := x.worker()
	w.Start()
	x.t.Cleanup(func() { _ = w.Close(context.Background()) })
	return w
}

// happen stores an event as a producer does.
func (x *exchange) happen(events ...Event) {
	x.t.Helper()
	x.must(x.store.InTx(x.t.Context(), func(ctx context.Context, tables storage.Tables) error { return x.Queue.Add(ctx, tables, events...) }))
	x.Queue.Wake()
}

func (x *exchange) joined() Event {
	return MemberChanged(x.space.ID, x.member.UserID, MemberJoined, core.RoleMember)
}

// deliveries are a webhook's log.
func (x *exchange) deliveries(webhook core.ID) []Delivery {
	x.t.Helper()
	found, err := x.Deliveries(x.t.Context(), x.owner, x.space.ID, webhook, core.Page{Limit: 100})
	x.must(err)
	return found
}

// audited are the actions in the security log, the newest first.
func (x *exchange) audited() (actions []core.AuditAction) {
	x.t.Helper()
	entries, err := x.Audit.List(x.t.Context(), x.owner, x.space.ID, core.Page{Limit: 100})
	x.must(err)
	for _, entry := range entries {
		if strings.Contains(entry.Target, "secret") {
			x.t.Errorf("got the target %q, want no part of an address behind the host", entry.Target)
		}
		actions = append(actions, entry.Action)
	}
	return actions
}

// inExchange runs a test on a clock that runs ahead.
func inExchange(t *testing.T, test func(*testing.T, *exchange)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, newExchange(t)) })
}

// verified reports which secrets signed a message, as a receiver that follows Standard Webhooks finds
// out. It shares no code with the sender.
func verified(m message, secret string) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || !strings.HasPrefix(secret, "whsec_") {
		return false
	}
	content := strings.Join([]string{m.header.Get("webhook-id"), m.header.Get("webhook-timestamp"), m.body}, ".")
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(content))
	for _, signature := range strings.Fields(m.header.Get("webhook-signature")) {
		version, encoded, _ := strings.Cut(signature, ",")
		given, err := base64.StdEncoding.DecodeString(encoded)
		if err == nil && version == "v1" && hmac.Equal(given, mac.Sum(nil)) {
			return true
		}
	}
	return false
}
