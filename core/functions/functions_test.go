package functions_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	memorybackend "github.com/atelierhq/atelier/adapters/memory/backend"
	"github.com/atelierhq/atelier/adapters/quickjs"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/core/calllog"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/functions"
	"github.com/atelierhq/atelier/core/models"
	"github.com/atelierhq/atelier/core/preview"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/sites"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
)

// house is a workspace with one project, whose functions are scripts.
type house struct {
	audit *audit.Log
	*functions.Service
	calls          *calllog.Log
	t              *testing.T
	store          storage.Store
	sites          sites.Store
	member, nobody core.Actor
	project        core.Project
	space          core.ID
	build          preview.Build
	values         map[string]string
	guard          *memory.Guard
	mails          []backend.Mail
	models         *models.Providers
	now            func() time.Time
	deps           functions.Deps
	// node says that the project has a development server, and no build; bundled counts how
	// often its functions were bundled, wrong is what is wrong with them.
	node    bool
	bundled int
	wrong   []core.Diagnostic
}

// Answer implements functions.Models.
func (h *house) Answer(ctx context.Context, prompt models.Prompt) (string, error) {
	return h.models.Answer(ctx, prompt)
}

// credit sets what the workspace may spend, in USD.
func (h *house) credit(usd float64) {
	h.t.Helper()
	_, err := h.store.Tables().Workspaces.Update(h.t.Context(), h.space, func(w *core.Workspace) error { w.CreditLimit = &usd; return nil })
	h.must(err)
}

// Page implements functions.Previews.
func (h *house) Page(context.Context, core.ID) (preview.Page, error) {
	if h.node {
		return preview.Page{Progress: "Starting the development server…"}, nil
	}
	return preview.Page{Build: &h.build}, nil
}

// Functions implements functions.Bundler.
func (h *house) Functions(context.Context, core.ID) (build.Result, error) {
	h.bundled++
	return build.Result{Files: h.build.Files, Diagnostics: h.wrong}, nil
}

// Values implements functions.Environment.
func (h *house) Values(context.Context, core.ID) (map[string]string, error) { return h.values, nil }

// Send implements backend.Post.
func (h *house) Send(_ context.Context, _ backend.Place, mail backend.Mail) error {
	h.mails = append(h.mails, mail)
	return nil
}

const schema = `{"collections": [
	{"name": "users", "type": "auth", "createRule": "", "viewRule": "id = @request.auth.id"},
	{"name": "notes", "listRule": "owner = @request.auth.id", "viewRule": "owner = @request.auth.id", "createRule": "@request.auth.id != ''", "fields": [{"name": "text", "type": "text"}, {"name": "owner", "type": "text"}]}
]}`

func newHouse(t *testing.T, scripts map[string]string) *house {
	t.Helper()
	log, trees := slog.New(slog.DiscardHandler), memory.NewTrees()
	h := &house{t: t, guard: memory.NewGuard(), store: memory.NewStore(), sites: memory.NewSites(), space: core.NewID(), values: map[string]string{"API_KEY": "sk-very-secret"}, now: time.Now}
	h.models = models.NewProviders(models.Deps{Store: h.store, Factory: memory.NewFactory(nil), Now: h.now})
	for name, script := range scripts {
		h.build.Files = append(h.build.Files, build.File{Path: core.FunctionBundle(name), Content: []byte(script)})
	}
	gate := access.NewGate(h.store)
	pipeline := files.NewPipeline(files.Deps{
		Exclusive: true, Trees: trees, Repositories: memory.NewRepositories(trees), Store: h.store, Bus: memory.NewBus(),
		Unsaved: memory.NewUnsaved(), Locks: memory.NewLocks(), Now: time.Now, Log: log,
	})
	h.audit = audit.New(audit.Deps{Store: h.store, Gate: gate, Now: time.Now, Log: log})
	data := backends.New(backends.Deps{
		Store: h.store, Gate: gate, Files: pipeline, Engine: memorybackend.New(memorybackend.Config{Post: h}),
		Audit: h.audit, Now: time.Now, Log: log,
	})
	runner, err := quickjs.New(quickjs.DefaultLimits())
	h.must(err)
	h.calls = calllog.New(calllog.Deps{Store: h.store, Gate: gate, Now: time.Now, Log: log})
	h.deps = functions.Deps{
		Store: h.store, Gate: gate, Calls: h.calls, Audit: h.audit, Runner: runner, Previews: h, Bundler: h, Sites: h.sites, Records: data, Environment: h, Models: h, Post: h,
		Guard: h.guard, Now: time.Now, Log: log, Address: func(slug string) string { return "https://" + slug + ".sites.test" },
	}
	h.Service = functions.New(h.deps)
	h.populate(pipeline)
	return h
}

func (h *house) populate(pipeline *files.Pipeline) {
	ctx, tables := h.t.Context(), h.store.Tables()
	h.must(tables.Workspaces.Create(ctx, core.Workspace{ID: h.space, Name: "Space", Slug: "space", CommandHosts: core.HostPatterns{"api.example.com", "cdn.example.com"}}))
	for name, actor := range map[string]*core.Actor{"member": &h.member, "nobody": &h.nobody} {
		user := core.User{ID: core.NewID(), Email: name + "@example.com"}
		h.must(tables.Users.Create(ctx, user))
		if name == "member" {
			h.must(tables.Workspaces.PutMember(ctx, core.Membership{WorkspaceID: h.space, UserID: user.ID, Role: core.RoleMember}))
		}
		*actor = core.Actor{UserID: user.ID}
	}
	h.project = core.Project{ID: core.NewID(), WorkspaceID: h.space, Slug: "shop", Name: "Shop", Visibility: core.VisibilityWorkspace, CreatedBy: h.member.UserID}
	rows, err := pipeline.Create(ctx, h.project.ID, fstest.MapFS{"backend/schema.json": {Data: []byte(schema)}}, vcs.Commit{Message: "First", Author: core.Author{Kind: core.AuthorUser, Name: "member"}})
	h.must(err)
	h.must(tables.Projects.Create(ctx, h.project))
	_, err = tables.Files.Apply(ctx, h.project.ID, storage.FileDelta{Put: rows})
	h.must(err)
}

func (h *house) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// ask sends a request to a function.
func (h *house) ask(env core.DataEnv, method, path, body string, header http.Header) *httptest.ResponseRecorder {
	h.t.Helper()
	r := httptest.NewRequestWithContext(h.t.Context(), method, path, strings.NewReader(body))
	r.Host = "shop.sites.test"
	if header != nil {
		r.Header = header
	}
	w := httptest.NewRecorder()
	h.Serve(w, r, backend.Place{Project: h.project.ID, Env: env})
	return w
}

func (h *house) want(w *httptest.ResponseRecorder, status int, body string) {
	h.t.Helper()
	if w.Code != status || !strings.Contains(w.Body.String(), body) {
		h.t.Errorf("got %d %q, want %d with %q", w.Code, w.Body, status, body)
	}
}

func TestAProjectWithADevelopmentServerHasFunctions(t *testing.T) {
	h := newHouse(t, map[string]string{"hello": `exports.default = () => new Response("hello")`})
	h.node = true
	h.want(h.ask(core.DataTest, "GET", "/_fn/hello", "", nil), http.StatusOK, "hello")
	h.want(h.ask(core.DataTest, "GET", "/_fn/other", "", nil), http.StatusNotFound, "no such function")
	if h.bundled != 1 {
		t.Errorf("the functions were bundled %d times for one state of the files, want once", h.bundled)
	}
	h.wrong = []core.Diagnostic{{Path: "functions/hello.ts", Line: 3, Message: "broken"}}
	_, err := h.store.Tables().Files.Apply(t.Context(), h.project.ID, storage.FileDelta{Put: []core.FileEntry{{Path: core.MustPath("functions/hello.ts")}}})
	h.must(err)
	h.want(h.ask(core.DataTest, "GET", "/_fn/hello", "", nil), http.StatusServiceUnavailable, "not available")
}

func TestAFunctionSetsNothingThatIsTheServices(t *testing.T) {
	const forged = `exports.default = async () => new Response("x", { headers: { "x-request-id": "forged", "server": "forged", "date": "forged", "content-length": "99", "content-encoding": "forged", "transfer-encoding": "forged", "connection": "x-hop, close", "x-hop": "forged", "keep-alive": "forged", "proxy-authenticate": "forged", "te": "forged", "trailer": "forged", "upgrade": "forged", "x-own": "1" } })`
	h := newHouse(t, map[string]string{"forge": forged})
	w := h.ask(core.DataTest, "GET", "/_fn/forge", "", nil)
	h.want(w, http.StatusOK, "x")
	for name, values := range w.Header() {
		if strings.Contains(strings.Join(values, " "), "forged") || name == "Connection" || name == "Content-Length" {
			t.Errorf("got %s: %q, want it left to the service", name, values)
		}
	}
	if w.Header().Get("X-Own") != "1" {
		t.Errorf("got the header %v, want the function's own field", w.Header())
	}
}

func TestAFunctionAnswers(t *testing.T) {
	h := newHouse(t, map[string]string{
		"hello": `exports.default = async (req, ctx) => new Response(req.method + " " + req.url + " " + await req.text() + " " + ctx.user + " " + ctx.secrets.API_KEY.length, { status: 201, headers: { "x-own": "1", "set-cookie": "a=b", "connection": "close", "content-security-policy": "default-src 'none'" } })`,
	})
	w := h.ask(core.DataTest, "POST", "/_fn/hello/deeper?a=1", "body", nil)
	h.want(w, 201, "POST http://shop.sites.test/_fn/hello/deeper?a=1 body null 14")
	if w.Header().Get("X-Own") != "1" || w.Header().Get("Set-Cookie") != "" || w.Header().Get("Connection") != "" {
		t.Errorf("got the header %v, want the function's own fields, without a cookie", w.Header())
	}
	for _, path := range []string{"/_fn/", "/_fn/other", "/_fn/__proto__", "/_fn/../hello", "/_fn/hello.js"} {
		h.want(h.ask(core.DataTest, "GET", path, "", nil), http.StatusNotFound, "no such function")
	}
	h.want(h.ask(core.DataLive, "GET", "/_fn/hello", "", nil), http.StatusNotFound, "no such function")
	h.want(h.ask(core.DataTest, "POST", "/_fn/hello", strings.Repeat("x", 1<<20+1), nil), http.StatusRequestEntityTooLarge, "1 MiB")
}

func TestTheLiveFunctionIsThatOfTheDeployment(t *testing.T) {
	h := newHouse(t, map[string]string{"hello": `exports.default = () => new Response("new")`})
	deployment := core.NewID()
	h.must(h.sites.Put(t.Context(), deployment, []sites.File{{Path: core.FunctionBundle("hello"), Content: []byte(`exports.default = () => new Response("old")`)}, {Path: "index.html"}}))
	_, err := h.store.Tables().Projects.Update(t.Context(), h.project.ID, func(p *core.Project) error { p.DeploymentID = &deployment; return nil })
	h.must(err)
	h.want(h.ask(core.DataLive, "GET", "/_fn/hello", "", nil), http.StatusOK, "old")
	h.want(h.ask(core.DataTest, "GET", "/_fn/hello", "", nil), http.StatusOK, "new")
}

func TestAnExceptionIsForMembersOnly(t *testing.T) {
	h := newHouse(t, map[string]string{"breaks": `exports.default = (req, ctx) => { console.log("key", ctx.secrets.API_KEY); ctx.log("own"); throw new Error("stock of " + ctx.secrets.API_KEY) }`})
	w := h.ask(core.DataTest, "GET", "/_fn/breaks", "", nil)
	h.want(w, http.StatusInternalServerError, "the function failed")
	if strings.Contains(w.Body.String(), "stock") {
		t.Errorf("got %q, which tells a stranger of the error", w.Body)
	}
	runs := h.runs(core.DataTest)
	if len(runs) != 1 || runs[0].Status != http.StatusInternalServerError || !strings.Contains(runs[0].Error, "stock of [API_KEY]\n") || !strings.Contains(runs[0].Error, "\n    at ") {
		t.Errorf("got %+v, want the error with its stack, without the secret", runs)
	}
	if want := []core.ConsoleLine{{Level: "info", Text: "key [API_KEY]"}, {Level: "info", Text: "own"}}; !slices.Equal(runs[0].Console, want) {
		t.Errorf("got the console %+v, want %+v", runs[0].Console, want)
	}
}

// runs returns the logged runs, the newest first.
func (h *house) runs(env core.DataEnv) []core.BackendCall {
	h.t.Helper()
	found, err := h.calls.List(h.t.Context(), h.member, backend.Place{Project: h.project.ID, Env: env}, storage.CallFilter{Kind: core.CallFunction}, core.Page{Limit: 100})
	h.must(err)
	return found
}

func TestEveryRunIsLogged(t *testing.T) {
	h := newHouse(t, map[string]string{
		"hello":  `exports.default = async () => new Response("x", { status: 418 })`,
		"signup": `exports.default = async (req, ctx) => { await ctx.data.collection("users").create({ email: "ada@example.com", password: "long enough 1", passwordConfirm: "long enough 1" }); return Response.json(await ctx.data.send("/api/collections/users/auth-with-password", { method: "POST", body: { identity: "ada@example.com", password: "long enough 1" } })) }`,
	})
	var session struct {
		Token  string
		Record struct{ ID string }
	}
	h.must(json.Unmarshal(h.ask(core.DataTest, "POST", "/_fn/signup", "", nil).Body.Bytes(), &session))
	h.ask(core.DataTest, "GET", "/_fn/hello/ada@example.com/sk-very-secret?token=secret", "", http.Header{"Authorization": {session.Token}})
	h.ask(core.DataTest, "GET", "/_fn/other", "", nil)
	h.ask(core.DataTest, "POST", "/_fn/hello", strings.Repeat("x", 1<<20+1), nil)
	gone, leave := context.WithCancel(t.Context())
	leave()
	h.Serve(httptest.NewRecorder(), httptest.NewRequestWithContext(gone, "GET", "/_fn/hello", nil), backend.Place{Project: h.project.ID, Env: core.DataTest})
	h.ask(core.DataLive, "GET", "/_fn/hello", "", nil)
	var got []string
	for _, run := range h.runs(core.DataTest) {
		got = append(got, fmt.Sprint(run.Method, " ", run.Path, " ", run.Status, " ", run.User, " ", run.Error))
	}
	slices.Reverse(got)
	want := []string{
		"POST /_fn/signup 200  ",
		"GET /_fn/hello/…/[API_KEY] 418 users/" + session.Record.ID + " ",
		"GET /_fn/other 404  there is no such function",
		"POST /_fn/hello 413  the body of a request to a function may have 1 MiB",
		"GET /_fn/hello 499  the function is not available at the moment: try again",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if live := h.runs(core.DataLive); len(live) != 1 || live[0].Status != http.StatusNotFound {
		t.Errorf("got %+v of live data, want the one that failed", live)
	}
}

func TestRecordsAreReadWithTheCallersRights(t *testing.T) {
	h := newHouse(t, map[string]string{
		"signup": `exports.default = async (req, ctx) => { const { email } = await req.json(); await ctx.data.collection("users").create({ email, password: "long enough 1", passwordConfirm: "long enough 1" }); return Response.json(await ctx.data.send("/api/collections/users/auth-with-password", { method: "POST", body: { identity: email, password: "long enough 1" } })) }`,
		"notes":  `exports.default = async (req, ctx) => { const made = await ctx.data.admin.collection("notes").create({ text: "for ada", owner: ctx.user?.id ?? "nobody" }); const own = await ctx.data.collection("notes").getFullList().catch((e) => e.status); const all = await ctx.data.admin.collection("notes").getFullList(); return Response.json({ user: ctx.user?.email ?? null, own: own.length ?? own, all: all.length }) }`,
		"escape": `exports.default = async (req, ctx) => { const out = []; for (const path of ["/_/", "/api/../_/", "//other/api/", "http://other/api/", "/api/realtime", "x"]) out.push(await ctx.data.admin.send(path).then(() => "reached", (e) => e.status ?? "refused")); return Response.json(out) }`,
	})
	h.want(h.ask(core.DataTest, "GET", "/_fn/notes", "", nil), http.StatusOK, `{"user":null,"own":0,"all":1}`)
	w := h.ask(core.DataTest, "POST", "/_fn/signup", `{"email":"ada@example.com"}`, nil)
	var session struct{ Token string }
	h.must(json.Unmarshal(w.Body.Bytes(), &session))
	if session.Token == "" {
		t.Fatalf("got %d %s, want a session", w.Code, w.Body)
	}
	h.want(h.ask(core.DataTest, "GET", "/_fn/notes", "", http.Header{"Authorization": {session.Token}}), http.StatusOK, `"own":1,"all":2}`)
	forged := session.Token[:len(session.Token)-4] + "AAAA"
	h.want(h.ask(core.DataTest, "GET", "/_fn/notes", "", http.Header{"Authorization": {forged}}), http.StatusOK, `"user":null,"own":0,"all":3}`)
	w = h.ask(core.DataTest, "GET", "/_fn/escape", "", nil)
	if strings.Contains(w.Body.String(), "reached") || w.Code != http.StatusOK {
		t.Errorf("got %d %s, want every path outside refused", w.Code, w.Body)
	}
}

func TestAFetchReachesAllowedHostsOnly(t *testing.T) {
	h := newHouse(t, map[string]string{"fetch": `exports.default = async (req) => { try { const r = await fetch(await req.text()); return new Response("reached " + r.status) } catch (e) { return new Response(e.message) } }`})
	for address, want := range map[string]string{
		"https://other.example.com/":            "may not reach",
		"https://api.example.com.evil.example/": "may not reach",
		"https://api.example.com@evil.example/": "may not reach",
		"http://127.0.0.1/":                     "may not reach",
		"http://[::1]/":                         "may not reach",
		"http://169.254.169.254/latest/":        "may not reach",
		"file:///etc/passwd":                    "may not reach",
		"https://user:pass@api.example.com/":    "user",
		"http://localhost/":                     "may not reach",
	} {
		if got := h.ask(core.DataTest, "POST", "/_fn/fetch", address, nil); got.Code != http.StatusOK || !strings.Contains(got.Body.String(), want) || strings.Contains(got.Body.String(), "reached ") {
			t.Errorf("%s: got %d %q, want it refused with %q", address, got.Code, got.Body, want)
		}
	}
}

func TestAFetchFollowsRedirectsToAllowedHosts(t *testing.T) {
	h := newHouse(t, map[string]string{"fetch": `exports.default = async (req) => { try { const r = await fetch(await req.text(), { method: "POST", body: "sent", headers: { authorization: "key" } }); return new Response(r.status + " " + await r.text()) } catch (e) { return new Response(e.message) } }`})
	h.guard.Handle("api.example.com", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/there":
			http.Redirect(w, r, "https://cdn.example.com/", http.StatusFound)
		case "/open":
			http.Redirect(w, r, "http://api.example.com/", http.StatusTemporaryRedirect)
		case "/away":
			http.Redirect(w, r, "https://evil.example/", http.StatusFound)
		case "/round":
			http.Redirect(w, r, "/round", http.StatusTemporaryRedirect)
		case "/large":
			_, _ = w.Write(make([]byte, 6<<20))
		default:
			body, _ := io.ReadAll(r.Body)
			_, _ = fmt.Fprintf(w, "%s %s %s\n", r.Method, body, r.Header.Get("Authorization"))
		}
	}))
	h.guard.Handle("cdn.example.com", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "%s at the other host%s", r.Method, r.Header.Get("Authorization"))
	}))
	for path, want := range map[string]string{
		"/": "200 POST sent key", "/open": "200 POST sent \n", "/there": "200 GET at the other host", "/away": "may not reach", "/round": "more than 5 times", "/large": "5 MiB",
	} {
		if got := h.ask(core.DataTest, "POST", "/_fn/fetch", "https://api.example.com"+path, nil); got.Code != http.StatusOK || !strings.Contains(got.Body.String(), want) {
			t.Errorf("%s: got %d %q, want %q", path, got.Code, got.Body, want)
		}
	}
}

func TestAMailIsQueued(t *testing.T) {
	h := newHouse(t, map[string]string{"mail": `exports.default = async (req, ctx) => { await ctx.mail("Ada@example.com", "Hi", "Text"); try { await ctx.mail("ada@example.com", "a\r\nBcc: x@example.com", "Text") } catch (e) { return new Response(e.message) } }`})
	h.want(h.ask(core.DataTest, "POST", "/_fn/mail", "", nil), http.StatusOK, "one line")
	if len(h.mails) != 1 || h.mails[0].Subject != "Hi" {
		t.Errorf("got the mails %+v, want one", h.mails)
	}
}
