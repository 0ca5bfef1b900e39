package backends_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	memorybackend "github.com/atelierhq/atelier/adapters/memory/backend"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
)

// house is a workspace with one project, its backend in memory.
type house struct {
	*backends.Service
	t             *testing.T
	store         storage.Store
	pipeline      *files.Pipeline
	engine        *memorybackend.Engine
	mailbox       *backends.Mailbox
	queue         *mailer.Queue
	audit         *audit.Log
	gate          *access.Gate
	project       core.ID
	owner         core.ID
	admin, member core.Actor
	nobody        core.Actor
	// onApply is called when the engine has applied a schema.
	onApply func()
}

// watchedEngine tells when it has applied a schema.
type watchedEngine struct {
	backends.Engine
	applied func()
}

func (e watchedEngine) Apply(ctx context.Context, place backend.Place, schema backend.Schema) error {
	err := e.Engine.Apply(ctx, place, schema)
	e.applied()
	return err
}

func newHouse(t *testing.T) *house {
	t.Helper()
	log, trees := slog.New(slog.DiscardHandler), memory.NewTrees()
	h := &house{t: t, store: memory.NewStore(), queue: mailer.New(memory.NewSealer(), time.Now), project: core.NewID(), onApply: func() {}}
	gate := access.NewGate(h.store)
	h.gate = gate
	h.pipeline = files.NewPipeline(files.Deps{
		Exclusive: true, Trees: trees, Repositories: memory.NewRepositories(trees), Store: h.store, Bus: memory.NewBus(),
		Unsaved: memory.NewUnsaved(), Locks: memory.NewLocks(), Now: time.Now, Log: log,
	})
	h.mailbox = backends.NewMailbox(backends.MailboxDeps{
		Store: h.store, Queue: h.queue, Now: time.Now,
		Address:   func(slug string) string { return "https://" + slug + ".sites.test" },
		Allowance: mailer.DefaultAllowance,
	})
	h.engine = memorybackend.New(memorybackend.Config{Post: h.mailbox})
	h.audit = audit.New(audit.Deps{Store: h.store, Gate: gate, Now: time.Now, Log: log})
	h.Service = backends.New(backends.Deps{
		Store: h.store, Gate: gate, Files: h.pipeline, Engine: watchedEngine{h.engine, func() { h.onApply() }}, Audit: h.audit, Now: time.Now, Log: log,
	})
	h.populate()
	return h
}

// populate makes the people and the project.
func (h *house) populate() {
	ctx, tables, space := h.t.Context(), h.store.Tables(), core.NewID()
	h.must(tables.Workspaces.Create(ctx, core.Workspace{ID: space, Name: "Space", Slug: "space"}))
	person := func(name string, role core.Role) core.Actor {
		user := core.User{ID: core.NewID(), Email: name + "@example.com"}
		h.must(tables.Users.Create(ctx, user))
		if role != core.RoleNone {
			h.must(tables.Workspaces.PutMember(ctx, core.Membership{WorkspaceID: space, UserID: user.ID, Role: role}))
		}
		return core.Actor{UserID: user.ID}
	}
	owner := core.User{ID: core.NewID(), Email: "owner@example.com", EmailVerified: true}
	h.must(tables.Users.Create(ctx, owner))
	h.must(tables.Workspaces.PutMember(ctx, core.Membership{WorkspaceID: space, UserID: owner.ID, Role: core.RoleOwner}))
	h.owner = owner.ID
	h.admin, h.member, h.nobody = person("admin", core.RoleAdmin), person("member", core.RoleMember), person("nobody", core.RoleNone)
	rows, err := h.pipeline.Create(ctx, h.project, fstest.MapFS{"index.html": {Data: []byte("one")}}, vcs.Commit{Message: "First", Author: core.Author{Kind: core.AuthorUser, Name: "admin"}})
	h.must(err)
	h.must(tables.Projects.Create(ctx, core.Project{
		ID: h.project, WorkspaceID: space, Slug: "shop", Name: "Tea & <Cake>", Visibility: core.VisibilityWorkspace, CreatedBy: h.admin.UserID,
	}))
	_, err = tables.Files.Apply(ctx, h.project, storage.FileDelta{Put: rows})
	h.must(err)
}

func (h *house) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) wantCode(err error, code core.Code) {
	h.t.Helper()
	if !core.IsCode(err, code) {
		h.t.Errorf("got %v, want code %s", err, code)
	}
}

// write saves a file of the project.
func (h *house) write(path, content string) {
	h.t.Helper()
	results, err := h.pipeline.Apply(h.t.Context(), h.project, core.Author{}, []core.FileChange{{Op: core.OpWrite, Path: core.MustPath(path), Content: []byte(content)}}, nil)
	h.must(err)
	h.must(results[0].Err)
}

// notes is a schema with one open collection of these fields.
func notes(fields ...string) string {
	return `{"collections": [{"name": "notes", "listRule": "", "viewRule": "", "createRule": "", "fields": [` + strings.Join(fields, ", ") + `]}]}`
}

const (
	textField  = `{"name": "text", "type": "text"}`
	starsField = `{"name": "stars", "type": "number"}`
)

// ask sends a page's request.
func (h *house) ask(env core.DataEnv, method, path, body string) (int, map[string]any) {
	h.t.Helper()
	r := httptest.NewRequestWithContext(h.t.Context(), method, "/_data/collections/notes/records"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.Serve(w, r, backend.Place{Project: h.project, Env: env})
	var answer map[string]any
	_ = json.Unmarshal(w.Body.Bytes(), &answer)
	return w.Code, answer
}

// add creates a record as a page does.
func (h *house) add(env core.DataEnv, body string) {
	h.t.Helper()
	if status, answer := h.ask(env, http.MethodPost, "", body); status != http.StatusOK {
		h.t.Fatalf("got %d %v, want a record", status, answer)
	}
}

// records returns the records that a page sees.
func (h *house) records(env core.DataEnv) []any {
	h.t.Helper()
	status, answer := h.ask(env, http.MethodGet, "", "")
	if status != http.StatusOK {
		h.t.Fatalf("got %d %v, want records", status, answer)
	}
	items, _ := answer["items"].([]any)
	return items
}

// publish switches live data as a publish does: the deployment is recorded if ok.
func (h *house) publish(accepted core.ID, ok bool) error {
	h.t.Helper()
	deployment := core.Deployment{ID: core.NewID(), ProjectID: h.project, Slug: "shop", Status: core.DeploymentLive, CreatedAt: core.At(time.Now())}
	change, err := h.Stage(h.t.Context(), backends.Release{Project: h.project, Deployment: deployment.ID, By: h.member, AcceptDataLoss: accepted})
	if err != nil {
		return err
	}
	if ok {
		h.record(change, deployment)
	}
	return change.Settle(context.WithoutCancel(h.t.Context()))
}

// record records a deployment with what belongs to its switch.
func (h *house) record(change *backends.Switch, deployment core.Deployment) {
	h.t.Helper()
	h.must(h.store.InTx(h.t.Context(), func(ctx context.Context, tables storage.Tables) error {
		return errors.Join(change.Record(ctx, tables), tables.Deployments.Create(ctx, deployment))
	}))
}
