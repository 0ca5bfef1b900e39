package httpapi

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	memorybackend "github.com/atelierhq/atelier/adapters/memory/backend"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/core/companysignin"
	"github.com/atelierhq/atelier/core/environment"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/core/preview"
	"github.com/atelierhq/atelier/core/publish"
	"github.com/atelierhq/atelier/core/workspaces"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
)

// siteAPI is the API with one project, whose previews and sites work.
type siteAPI struct {
	*api
	store    *memory.Store
	pipeline *files.Pipeline
	tools    *memory.Toolchain
	token    requestOption
	project  core.ID
	path     string
}

func newSiteAPI(t *testing.T) *siteAPI {
	t.Helper()
	s := &siteAPI{store: memory.NewStore(), project: core.NewID()}
	s.api = newAPI(t, func(d *Deps) { s.fill(t, d) })
	session := s.signUp("ada@example.com")
	s.token, s.path = bearer(session.text("accessToken")), "/projects/"+string(s.project)
	s.create(core.ID(session.text("workspace.id")), core.ID(session.text("user.id")))
	return s
}

// fill makes all services over one store.
func (s *siteAPI) fill(t *testing.T, d *Deps) {
	trees, bus, gate := memory.NewTrees(), memory.NewBus(), access.NewGate(s.store)
	s.tools = memory.NewToolchain(trees)
	d.Audit = audit.New(audit.Deps{Store: s.store, Gate: gate, Now: d.Now, Log: d.Log})
	d.Accounts = accounts.New(accounts.Deps{
		Companies: companysignin.NewRules(access.NewGate(nil)), Doors: openDoors(s.store),
		Store: s.store, Tokens: memory.NewTokens(d.Now), Passwords: memory.NewPasswords(), Audit: d.Audit, Mails: mailer.New(d.Sealer, d.Now), Now: d.Now, Log: d.Log,
		Settings: accounts.Settings{AccessTTL: time.Hour, RefreshTTL: time.Hour},
	})
	d.Workspaces = workspaces.New(workspaces.Deps{Store: s.store, Gate: gate, Audit: d.Audit, Now: d.Now})
	s.pipeline = files.NewPipeline(files.Deps{
		Exclusive: true,
		Trees:     trees, Repositories: memory.NewRepositories(trees), Store: s.store, Bus: bus, Unsaved: memory.NewUnsaved(), Locks: memory.NewLocks(), Now: d.Now, Log: d.Log,
	})
	d.Environment = environment.New(environment.Deps{Store: s.store, Gate: gate, Bus: bus, Sealer: d.Sealer, Audit: audit.New(audit.Deps{Store: s.store, Gate: gate, Now: d.Now, Log: d.Log}), Now: d.Now, Log: d.Log})
	maker := builds.NewMaker(builds.Deps{Sources: s.pipeline, Environment: d.Environment, Resolver: memory.NewPackages(), Builder: memory.NewBuilder(), Tools: s.tools})
	d.Preview = preview.New(preview.Deps{
		Store: s.store, Gate: gate, Bus: bus, Sealer: d.Sealer, Maker: maker, Now: d.Now, Log: d.Log,
		Settings: preview.Settings{Scheme: "http", Domain: "preview.test"},
	})
	d.Publish = publish.New(publish.Deps{
		Backends: backends.New(backends.Deps{Store: s.store, Gate: gate, Files: s.pipeline, Engine: memorybackend.New(memorybackend.Config{}), Now: d.Now, Log: d.Log}),
		Store:    s.store, Gate: gate, Audit: d.Audit, Bus: bus, Committer: s.pipeline.Committer, Maker: maker, Sites: memory.NewSites(),
		Address: func(slug string) string { return "http://" + slug + ".sites.test" }, Picture: func(core.ID) {}, Now: d.Now, Log: d.Log,
	})
	previews, sites := d.Preview, d.Publish
	t.Cleanup(func() { previews.Close(); sites.Close() })
}

func (s *siteAPI) create(workspace, user core.ID) {
	s.t.Helper()
	ctx := s.t.Context()
	rows, err := s.pipeline.Create(ctx, s.project, fstest.MapFS{"index.html": {Data: []byte("one")}}, vcs.Commit{Message: "First"})
	s.must(err)
	s.must(s.store.Tables().Projects.Create(ctx, core.Project{
		ID: s.project, WorkspaceID: workspace, Slug: "shop", Name: "Shop", Visibility: core.VisibilityWorkspace, CreatedBy: user,
	}))
	_, err = s.store.Tables().Files.Apply(ctx, s.project, storage.FileDelta{Put: rows})
	s.must(err)
}

func (s *siteAPI) write(path, content string) {
	s.t.Helper()
	changes := []core.FileChange{{Op: core.OpWrite, Path: core.MustPath(path), Content: []byte(content)}}
	_, err := s.pipeline.Apply(s.t.Context(), s.project, core.Author{}, changes, nil)
	s.must(err)
}

func (s *siteAPI) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func TestPreviewRoutes(t *testing.T) {
	s := newSiteAPI(t)
	for _, method := range []string{"POST", "GET"} {
		got := s.do(method, s.path+"/preview", "", s.token)
		got.want(t, method, http.StatusOK, "")
		diagnostics, isList := got.member("diagnostics").([]any)
		if got.text("status") != "ready" || got.text("runtime") != "static" || !isList || len(diagnostics) != 0 || !strings.HasPrefix(got.text("url"), "http://"+string(s.project)+"-") {
			t.Errorf("%s: got %s, want a ready static preview", method, got.body)
		}
	}
	s.write("app.js", "(")
	if got := s.do("GET", s.path+"/preview", "", s.token); got.text("status") != "error" || !strings.Contains(got.body, `"path":"app.js"`) {
		t.Errorf("got %s, want the diagnostics", got.body)
	}
	s.do("DELETE", s.path+"/preview", "", s.token).want(t, "stop", http.StatusNoContent, "")
	s.do("DELETE", s.path+"/preview", "", s.token).want(t, "stop again", http.StatusNoContent, "")
	stranger := bearer(s.signUp("eve@example.com").text("accessToken"))
	for _, method := range []string{"POST", "GET", "DELETE"} {
		s.do(method, s.path+"/preview", "", stranger).want(t, method+" by a stranger", http.StatusNotFound, "not_found")
	}
	s.do("GET", s.path+"/preview/events", "", stranger).want(t, "events to a stranger", http.StatusNotFound, "not_found")
	s.do("GET", s.path+"/preview", "").want(t, "without a session", http.StatusUnauthorized, "unauthenticated")
}

func TestPreviewsOfProjectsWithToolsOfTheirOwn(t *testing.T) {
	s := newSiteAPI(t)
	s.write("package.json", `{"scripts": {"dev": "dev", "build": "build"}, "dependencies": {"vue": "3"}}`)
	conformance.Eventually(t, "the preview ready", func() bool {
		got := s.do("POST", s.path+"/preview", "", s.token)
		got.want(t, "start", http.StatusOK, "")
		if got.text("runtime") != "node" || got.text("runtimeReason") != "package.json asks for vue" {
			t.Fatalf("got %s, want a preview by the project's own tools", got.body)
		}
		return got.text("status") == "ready"
	})
	s.do("POST", s.path+"/publish", "{}", s.token).want(t, "publish", http.StatusOK, "")
	s.tools.SetMissing(true)
	for _, path := range []string{"/preview", "/publish"} {
		got := s.do("POST", s.path+path, "{}", s.token)
		got.want(t, path+" without tools", http.StatusServiceUnavailable, "sandbox_unavailable")
		if !strings.Contains(got.text("message"), "install bubblewrap and nodejs") {
			t.Errorf("%s: got %s, want what to install", path, got.body)
		}
	}
}

func TestPreviewEvents(t *testing.T) {
	s := newSiteAPI(t)
	req, err := http.NewRequestWithContext(conformance.Bounded(t), "GET", s.server.URL+s.path+"/preview/events", nil)
	s.must(err)
	s.token(req)
	resp, err := http.DefaultClient.Do(req)
	s.must(err)
	defer resp.Body.Close()
	// The first build is over when the status is ready.
	s.do("POST", s.path+"/preview", "", s.token).want(t, "start", http.StatusOK, "")
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("got %d %v, want a stream", resp.StatusCode, resp.Header)
	}
	lines := bufio.NewScanner(resp.Body)
	await := func(text string) {
		t.Helper()
		for lines.Scan() {
			if data, isData := strings.CutPrefix(lines.Text(), "data: "); isData && strings.Contains(data, text) {
				return
			}
		}
		t.Fatalf("got the end of the stream, want %s", text)
	}
	await(`"type":"preview.status"`)
	s.write("app.js", "(")
	await(`{"type":"build.error","build":`)
	s.write("app.js", "()")
	await(`{"type":"build.ok","build":`)
	s.must(s.deps.Preview.Report(s.project, preview.ConsoleEntry{Level: "error", Message: "boom"}))
	await(`{"type":"console","level":"error","message":"boom"`)
	s.do("DELETE", s.path+"/preview", "", s.token).want(t, "stop", http.StatusNoContent, "")
	for lines.Scan() {
	}
	if err := lines.Err(); err != nil {
		t.Errorf("got %v, want the end of the stream", err)
	}
}

func TestPublishRoutes(t *testing.T) {
	s := newSiteAPI(t)
	got := s.do("POST", s.path+"/publish", "", s.token)
	got.want(t, "publish", http.StatusOK, "")
	if got.text("url") != "http://shop.sites.test" || got.text("project.url") != "http://shop.sites.test" || got.text("project.publishedAt") == "" || got.text("versionId") == "" || got.member("buildMs") == nil {
		t.Errorf("got %s, want project, url, versionId and buildMs", got.body)
	}
	got = s.do("POST", s.path+"/publish", `{"slug":"store"}`, s.token)
	if got.text("url") != "http://store.sites.test" {
		t.Errorf("got %s, want it under store", got.body)
	}
	for body, code := range map[string]string{`{"slug":"www"}`: "slug_taken", `{"slug":"A b"}`: "validation_failed", `{"slug":7}`: "invalid_request", `{"name":"x"}`: "invalid_request"} {
		if got := s.do("POST", s.path+"/publish", body, s.token); got.text("error") != code {
			t.Errorf("%s: got %s, want %s", body, got.body, code)
		}
	}
	s.write("app.js", "(")
	got = s.do("POST", s.path+"/publish", `{}`, s.token)
	got.want(t, "a broken build", http.StatusUnprocessableEntity, "build_failed")
	if !strings.Contains(got.body, `"diagnostics":[{"path":"app.js","line":1,"column":1,`) {
		t.Errorf("got %s, want the diagnostics", got.body)
	}

	list, _ := s.do("GET", s.path+"/deployments", "", s.token).member("items").([]any)
	if len(list) != 2 || list[0].(map[string]any)["status"] != "live" || list[1].(map[string]any)["status"] != "superseded" {
		t.Fatalf("got %v, want the live deployment and the one before", list)
	}
	first := list[1].(map[string]any)["id"].(string)
	got = s.do("POST", s.path+"/deployments/"+first+"/rollback", "", s.token)
	got.want(t, "rollback", http.StatusOK, "")
	if got.text("id") != first || got.text("status") != "live" || got.text("url") != "http://store.sites.test" {
		t.Errorf("got %s, want the first deployment live", got.body)
	}
	s.do("POST", s.path+"/deployments/"+string(core.NewID())+"/rollback", "", s.token).want(t, "no deployment", http.StatusNotFound, "not_found")
	s.do("POST", s.path+"/deployments/x/rollback", "", s.token).want(t, "no id", http.StatusNotFound, "not_found")
	s.do("DELETE", s.path+"/publish", "", s.token).want(t, "unpublish", http.StatusNoContent, "")
	s.do("DELETE", s.path+"/publish", "", s.token).want(t, "unpublish again", http.StatusNoContent, "")

	stranger := bearer(s.signUp("eve@example.com").text("accessToken"))
	for _, call := range []string{"POST /publish", "DELETE /publish", "GET /deployments", "POST /deployments/" + first + "/rollback"} {
		method, path, _ := strings.Cut(call, " ")
		s.do(method, s.path+path, "", stranger).want(t, call+" by a stranger", http.StatusNotFound, "not_found")
	}
}
