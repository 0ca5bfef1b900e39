package checks_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	memorybackend "github.com/atelierhq/atelier/adapters/memory/backend"
	membrowser "github.com/atelierhq/atelier/adapters/memory/browser"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/core/browsing"
	"github.com/atelierhq/atelier/core/checks"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/preview"
	"github.com/atelierhq/atelier/core/webhooks"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
)

// house is a project with pages, a backend and checks.
type house struct {
	*checks.Service
	t        *testing.T
	store    storage.Store
	pipeline *files.Pipeline
	engine   *memorybackend.Engine
	backends *backends.Service
	browser  *membrowser.Browser
	project  core.ID
	member   core.Actor
	nobody   core.Actor

	// tabs is how many tabs are open, most the most that were. pause is what a page takes to load.
	tabs, most atomic.Int64
	pause      time.Duration

	mu sync.Mutex
	// copies are the addresses that lead to copies of test data.
	copies map[string]core.ID
	pages  map[string]string
}

func newHouse(t *testing.T) *house {
	t.Helper()
	log, trees := slog.New(slog.DiscardHandler), memory.NewTrees()
	h := &house{t: t, store: memory.NewStore(), project: core.NewID(), copies: map[string]core.ID{}, pages: map[string]string{}}
	gate := access.NewGate(h.store)
	h.pipeline = files.NewPipeline(files.Deps{
		Exclusive: true, Trees: trees, Repositories: memory.NewRepositories(trees), Store: h.store, Bus: memory.NewBus(),
		Unsaved: memory.NewUnsaved(), Locks: memory.NewLocks(), Now: time.Now, Log: log,
	})
	h.engine = memorybackend.New(memorybackend.Config{})
	h.backends = backends.New(backends.Deps{
		Store: h.store, Gate: gate, Files: h.pipeline, Engine: h.engine, Audit: audit.New(audit.Deps{Store: h.store, Gate: gate, Now: time.Now, Log: log}), Now: time.Now, Log: log,
	})
	h.browser = membrowser.New(h)
	h.Service = checks.New(checks.Deps{
		Store: h.store, Gate: gate, Files: h.pipeline.Reader, Previews: h, Backends: h.backends, Origin: "https://app.test", Hooks: webhooks.NewQueue(h.store, time.Now, log), Now: time.Now, Log: log,
		Pages: browsing.New(browsing.Deps{Enabled: true, Browser: tabCounter{h.browser, h}, Previews: h}),
	})
	h.populate()
	return h
}

func (h *house) populate() {
	ctx, tables, space := h.t.Context(), h.store.Tables(), core.NewID()
	h.must(tables.Workspaces.Create(ctx, core.Workspace{ID: space, Name: "Space", Slug: "space"}))
	for _, name := range []string{"member", "nobody"} {
		user := core.User{ID: core.NewID(), Email: name + "@example.com"}
		h.must(tables.Users.Create(ctx, user))
		if name == "member" {
			h.must(tables.Workspaces.PutMember(ctx, core.Membership{WorkspaceID: space, UserID: user.ID, Role: core.RoleMember}))
			h.member = core.Actor{UserID: user.ID}
		} else {
			h.nobody = core.Actor{UserID: user.ID}
		}
	}
	rows, err := h.pipeline.Create(ctx, h.project, fstest.MapFS{"index.html": {Data: []byte("one")}}, vcs.Commit{Message: "First", Author: core.Author{Kind: core.AuthorUser, Name: "member"}})
	h.must(err)
	h.must(tables.Projects.Create(ctx, core.Project{ID: h.project, WorkspaceID: space, Slug: "shop", Name: "Shop", Visibility: core.VisibilityPublic, CreatedBy: h.member.UserID}))
	_, err = tables.Files.Apply(ctx, h.project, storage.FileDelta{Put: rows})
	h.must(err)
}

func (h *house) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) write(path, content string) {
	h.t.Helper()
	results, err := h.pipeline.Apply(h.t.Context(), h.project, core.Author{}, []core.FileChange{{Op: core.OpWrite, Path: core.MustPath(path), Content: []byte(content)}}, nil)
	h.must(err)
	h.must(results[0].Err)
}

// InSources implements browsing.Previews.
func (*house) InSources(_ core.ID, text string) string { return text }

// Status implements browsing.Previews.
func (h *house) Status(ctx context.Context, project core.ID) (preview.Status, error) {
	return preview.Status{URL: "http://" + string(project) + ".preview.test", Status: preview.StateReady}, ctx.Err()
}

// Rehearse implements checks.Previews.
func (h *house) Rehearse(ctx context.Context, _, dataCopy core.ID) (string, func(), error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	host := "copy-" + string(core.NewID()) + ".preview.test"
	h.copies[host] = dataCopy
	return "http://" + host, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.copies, host)
	}, ctx.Err()
}

// ServeHTTP is the preview: pages, and forms that make records.
func (h *house) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	time.Sleep(h.pause)
	h.mu.Lock()
	dataCopy, known := h.copies[r.Host]
	page, found := h.pages[r.URL.Path]
	h.mu.Unlock()
	place := backend.Place{Project: h.project, Env: core.DataTest, Copy: dataCopy}
	switch {
	case !known:
		http.NotFound(w, r)
	case r.Method == http.MethodPost:
		body, _ := json.Marshal(map[string]string{"text": r.PostFormValue("text")})
		inner := httptest.NewRequestWithContext(r.Context(), http.MethodPost, "/_data/collections/notes/records", strings.NewReader(string(body)))
		inner.Header.Set("Content-Type", "application/json")
		h.backends.Serve(httptest.NewRecorder(), inner, place)
		_, _ = w.Write([]byte(strings.ReplaceAll(page, "NOTES", h.notes(r.Context(), place))))
	case found:
		_, _ = w.Write([]byte(strings.ReplaceAll(page, "NOTES", h.notes(r.Context(), place))))
	default:
		http.NotFound(w, r)
	}
}

// notes lists the records of a place.
func (h *house) notes(ctx context.Context, place backend.Place) string {
	w := httptest.NewRecorder()
	h.backends.Serve(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/_data/collections/notes/records", nil), place)
	var answer struct{ Items []struct{ Text string } }
	_ = json.Unmarshal(w.Body.Bytes(), &answer)
	var list strings.Builder
	for _, item := range answer.Items {
		list.WriteString("<li>" + item.Text + "</li>")
	}
	return "<ul>" + list.String() + "</ul>"
}

const (
	notesPage = `<title>Notes</title><h1>Notes</h1>NOTES<form method="post"><label>Note <input name="text"></label><button>Add</button></form>`

	schema = `{"collections": [{"name": "people", "type": "auth"}, {"name": "notes", "listRule": "", "createRule": "", "fields": [{"name": "text", "type": "text"}]}]}`
	seed   = `{"people": [{"email": "anna@example.com", "password": "secret-of-anna"}], "notes": [{"text": "from the seed"}]}`

	adding = `{"title": "Adding", "path": "/", "steps": [
		{"expect": "count", "target": {"role": "listitem"}, "count": 1},
		{"do": "fill", "target": {"role": "textbox", "name": "Note"}, "value": "Milk"},
		{"do": "click", "target": {"role": "button", "name": "Add"}},
		{"expect": "text", "value": "Milk"},
		{"expect": "count", "target": {"role": "listitem"}, "count": 2}]}`
	missing = `{"title": "Missing", "path": "/", "steps": [{"do": "wait"}, {"expect": "visible", "target": {"role": "button", "name": "Save"}}]}`
)

func (h *house) furnish() {
	h.write(core.BackendSchemaPath, schema)
	h.write(core.BackendSeedPath, seed)
	h.pages["/"] = notesPage
}

func TestChecksArePlayedOnFreshData(t *testing.T) {
	h := newHouse(t)
	h.furnish()
	_, err := h.backends.Sync(t.Context(), h.project)
	h.must(err)
	h.write(".atelier/checks/add-one.json", adding)
	h.write(".atelier/checks/add-two.json", adding)
	for range 2 {
		results, err := h.Run(t.Context(), h.member, h.project, nil)
		if err != nil || len(results) != 2 || !results[0].Passed || !results[1].Passed || results[0].Title != "Adding" {
			t.Fatalf("got %+v, %v, want both to pass", results, err)
		}
	}
	if stats, err := h.engine.Stats(t.Context(), backend.Place{Project: h.project, Env: core.DataTest}); err != nil || stats.Collections["notes"] != 1 {
		t.Errorf("got %+v, %v, want the test data as it was", stats, err)
	}
	if len(h.copies) > 0 {
		t.Errorf("got %d addresses that are left", len(h.copies))
	}
	listing, err := h.List(t.Context(), h.member, h.project)
	if err != nil || len(listing.Items) != 2 || listing.Items[0].LastResult != checks.LastPassed || listing.Items[0].At == nil || listing.Unavailable != "" {
		t.Errorf("got %+v, %v, want both as passed", listing, err)
	}
}

func TestAFailureHasItsStepAMessageAndAPicture(t *testing.T) {
	h := newHouse(t)
	h.furnish()
	h.write(".atelier/checks/missing.json", missing)
	results, err := h.Run(t.Context(), h.member, h.project, []string{"missing"})
	h.must(err)
	got := results[0]
	if got.Passed || got.Step != 2 || !strings.Contains(got.Message, `expected button "Save" to be visible`) || !strings.Contains(got.Shown, "Notes") {
		t.Errorf("got %+v, want the second step with what is missing", got)
	}
	if !strings.HasPrefix(got.Picture, "https://app.test/projects/"+string(h.project)+"/checks/missing/picture?v=") {
		t.Errorf("got the picture %q", got.Picture)
	}
	if picture, err := h.Picture(t.Context(), h.member, h.project, "missing"); err != nil || !strings.HasPrefix(string(picture), "\x89PNG") {
		t.Errorf("got %d bytes, %v, want a picture", len(picture), err)
	}
	listing, err := h.List(t.Context(), h.member, h.project)
	h.must(err)
	if item := listing.Items[0]; item.LastResult != checks.LastFailed || item.Step != 2 || item.Message != got.Message || item.Picture != got.Picture {
		t.Errorf("got %+v, want the failure", item)
	}
	failures, err := h.Failures(t.Context(), h.project)
	if err != nil || len(failures) != 1 || failures[0].Title != "Missing" || failures[0].Step != 2 {
		t.Errorf("got %+v, %v, want the failure", failures, err)
	}
}

func TestWebhooksAreToldOfAFailure(t *testing.T) {
	h := newHouse(t)
	h.furnish()
	h.write(".atelier/checks/missing.json", missing)
	tables, webhook := h.store.Tables(), core.Webhook{ID: core.NewID(), Events: []core.WebhookEvent{core.WebhookCheckFailed}, CreatedBy: h.member.UserID}
	project, err := tables.Projects.ByID(t.Context(), h.project)
	h.must(err)
	webhook.WorkspaceID = project.WorkspaceID
	h.must(tables.Webhooks.Create(t.Context(), webhook))
	_, err = h.Run(t.Context(), h.member, h.project, nil)
	h.must(err)
	told, err := tables.WebhookDeliveries.List(t.Context(), webhook.ID, core.Page{Limit: 10})
	h.must(err)
	if len(told) != 1 || !strings.Contains(told[0].Payload, `"name":"missing","title":"Missing","step":2}`) {
		t.Errorf("got %+v, want the one check that failed", told)
	}
}

func TestAWrongFileIsAProblemWithItsLine(t *testing.T) {
	h := newHouse(t)
	h.furnish()
	h.write(".atelier/checks/wrong.json", "{\"title\": \"x\",\n\"path\": \"nowhere\"}")
	h.write(".atelier/checks/Wrong name.json", adding)
	h.write(".atelier/checks/notes.txt", "no check")
	listing, err := h.List(t.Context(), h.member, h.project)
	h.must(err)
	if len(listing.Items) != 2 || listing.Items[0].Problem == nil || listing.Items[0].Name != "Wrong name.json" {
		t.Fatalf("got %+v, want two wrong checks", listing)
	}
	if problem := listing.Items[1].Problem; problem == nil || problem.Line != 2 || problem.Path != ".atelier/checks/wrong.json" {
		t.Errorf("got %+v, want line 2", problem)
	}
	results, err := h.Run(t.Context(), h.member, h.project, nil)
	if err != nil || len(results) != 2 || results[0].Passed || results[1].Passed || !strings.Contains(results[1].Message, "line 2: path must be") {
		t.Errorf("got %+v, %v, want two failures", results, err)
	}
}

func TestChecksAreOfGuestsOrOfUsersOfTheSeed(t *testing.T) {
	h := newHouse(t)
	h.furnish()
	h.write(".atelier/checks/anna.json", strings.Replace(adding, `"path"`, `"as": "anna@example.com", "path"`, 1))
	h.write(".atelier/checks/eve.json", strings.Replace(adding, `"path"`, `"as": "eve@example.com", "path"`, 1))
	results, err := h.Run(t.Context(), h.member, h.project, nil)
	h.must(err)
	if !results[0].Passed {
		t.Errorf("got %+v, want Anna's check to pass", results[0])
	}
	if results[1].Passed || !strings.Contains(results[1].Message, `no user with the e-mail address "eve@example.com"`) {
		t.Errorf("got %+v, want that Eve is unknown", results[1])
	}
}

func TestAWrongSeedFailsTheChecks(t *testing.T) {
	h := newHouse(t)
	h.furnish()
	h.write(core.BackendSeedPath, `{"notes": [`)
	h.write(".atelier/checks/adding.json", adding)
	results, err := h.Run(t.Context(), h.member, h.project, nil)
	if err != nil || results[0].Passed || !strings.Contains(results[0].Message, "backend/seed.json:1") {
		t.Errorf("got %+v, %v, want the mistake in the seed", results, err)
	}
}

func TestWithoutABrowserNothingPassesOrFails(t *testing.T) {
	h := newHouse(t)
	h.furnish()
	h.write(".atelier/checks/missing.json", missing)
	h.browser.SetAvailable(false)
	if _, err := h.Run(t.Context(), h.member, h.project, nil); !core.IsCode(err, core.CodeSandboxUnavailable) {
		t.Errorf("got %v, want %s", err, core.CodeSandboxUnavailable)
	}
	if failures, err := h.Failures(t.Context(), h.project); err != nil || len(failures) > 0 {
		t.Errorf("got %v, %v, want no failure", failures, err)
	}
	listing, err := h.List(t.Context(), h.member, h.project)
	if err != nil || listing.Unavailable == "" || listing.Items[0].LastResult != checks.Never {
		t.Errorf("got %+v, %v, want why nothing is played", listing, err)
	}
}

func TestChecksAreForMembers(t *testing.T) {
	h := newHouse(t)
	h.write(".atelier/checks/adding.json", adding)
	if _, err := h.List(t.Context(), h.nobody, h.project); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %v, want %s", err, core.CodeNotFound)
	}
	if _, err := h.Run(t.Context(), h.nobody, h.project, nil); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %v, want %s", err, core.CodeNotFound)
	}
	if _, err := h.Picture(t.Context(), h.nobody, h.project, "adding"); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %v, want %s", err, core.CodeNotFound)
	}
	if _, err := h.Picture(t.Context(), h.member, h.project, "../x"); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %v, want %s", err, core.CodeNotFound)
	}
	if _, err := h.Run(t.Context(), h.member, h.project, []string{"nothing"}); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %v, want %s", err, core.CodeNotFound)
	}
}

func TestOutcomesOfChecksThatAreGoneAreForgotten(t *testing.T) {
	h := newHouse(t)
	h.furnish()
	h.write(".atelier/checks/adding.json", adding)
	_, err := h.Run(t.Context(), h.member, h.project, nil)
	h.must(err)
	results, err := h.pipeline.Apply(t.Context(), h.project, core.Author{}, []core.FileChange{{Op: core.OpDelete, Path: core.CheckPath("adding")}}, nil)
	h.must(err)
	h.must(results[0].Err)
	played, err := h.Run(t.Context(), h.member, h.project, nil)
	if err != nil || len(played) > 0 {
		t.Errorf("got %v, %v, want nothing to play", played, err)
	}
	if left, err := h.store.Tables().CheckOutcomes.List(t.Context(), h.project); err != nil || len(left) > 0 {
		t.Errorf("got %v, %v, want no outcome", left, err)
	}
}
