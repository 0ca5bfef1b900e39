// Package files tests projects and their files over HTTP, on memory and on the adapters
// of the local program: the disk, git and SQLite.
package files

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/bunstore"
	"github.com/atelierhq/atelier/adapters/disk"
	"github.com/atelierhq/atelier/adapters/git"
	"github.com/atelierhq/atelier/adapters/httpapi"
	"github.com/atelierhq/atelier/adapters/memory"
	memorybackend "github.com/atelierhq/atelier/adapters/memory/backend"
	"github.com/atelierhq/atelier/adapters/regexsearch"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/core/companysignin"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/instance"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/core/versions"
	"github.com/atelierhq/atelier/core/workspaces"
	"github.com/atelierhq/atelier/ports/search"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree"
)

// fileLimit is MAX_FILE_BYTES in these tests: small, so that bodies over it are.
const fileLimit = 1 << 20

// adapterSet are the adapters under which a world runs. root is the folder of the
// projects, "" in memory.
type adapterSet struct {
	root   string
	trees  worktree.Trees
	repos  vcs.Repositories
	store  storage.Store
	engine search.Engine
}

func inMemory(testing.TB) adapterSet {
	trees := memory.NewTrees()
	return adapterSet{trees: trees, repos: memory.NewRepositories(trees), store: memory.NewStore(), engine: memory.NewSearch()}
}

func onDisk(t testing.TB) adapterSet { return openDisk(t, t.TempDir()) }

func openDisk(t testing.TB, dir string) adapterSet {
	t.Helper()
	d, closeAll, err := openLocal(t.Context(), dir)
	must(t, err)
	t.Cleanup(closeAll)
	return d
}

// openLocal opens the data in dir, which may exist already.
func openLocal(ctx context.Context, dir string) (adapterSet, func(), error) {
	root := filepath.Join(dir, "projects")
	trees, err := disk.NewTrees(root)
	if err != nil {
		return adapterSet{}, nil, err
	}
	repos, err := git.NewRepositories(root)
	if err != nil {
		return adapterSet{}, nil, err
	}
	store, err := bunstore.Open(ctx, "sqlite://"+filepath.Join(dir, "atelier.db"))
	if err != nil {
		return adapterSet{}, nil, err
	}
	closeAll := func() { _ = store.Close(); _ = trees.Close() }
	return adapterSet{root: root, trees: trees, repos: repos, store: store, engine: regexsearch.New()}, closeAll, store.Migrate(ctx)
}

// each plays a story against both kinds of adapters.
func each(t *testing.T, story func(t *testing.T, w *world)) {
	t.Run("memory", func(t *testing.T) { story(t, newWorld(t, inMemory(t))) })
	t.Run("disk", func(t *testing.T) { story(t, newWorld(t, onDisk(t))) })
}

// world is the API over some adapters, with one user who has one project.
type world struct {
	testing.TB
	adapterSet
	useCases
	server    *httptest.Server
	token     string
	actor     core.Actor
	workspace string
	project   string
}

func newWorld(t testing.TB, d adapterSet) *world {
	t.Helper()
	w := start(t, d)
	w.signUp("ann@example.com")
	w.project = w.createProject("Shop")
	return w
}

// useCases are projects and their files over some adapters.
type useCases struct {
	gate     *access.Gate
	pipeline *files.Pipeline
	projects *projects.Service
	service  *files.Service
	versions *versions.Service
}

func newUseCases(d adapterSet) useCases {
	log, gate, bus := slog.New(slog.DiscardHandler), access.NewGate(d.store), memory.NewBus()
	pipeline := files.NewPipeline(files.Deps{
		Exclusive: true,
		Trees:     d.trees, Repositories: d.repos, Store: d.store, Bus: bus, Unsaved: memory.NewUnsaved(), Locks: memory.NewLocks(),
		Search: d.engine, Now: time.Now, Log: log,
	})
	return useCases{
		gate: gate, pipeline: pipeline, service: files.NewService(files.ServiceDeps{Gate: gate, Reader: pipeline.Reader, Writer: pipeline.Writer, MaxFileBytes: fileLimit}),
		versions: versions.New(versions.Deps{Gate: gate, Store: d.store, History: pipeline.History, Committer: pipeline.Committer, Bus: bus, Now: time.Now, Log: log}),
		projects: projects.NewService(projects.Deps{
			Store: d.store, Gate: gate, Audit: audit.New(audit.Deps{Store: d.store, Gate: gate, Now: time.Now, Log: log}), Files: pipeline, Trees: d.trees, Templates: memory.NewTemplates(), Sites: memory.NewSites(),
			Backends: backends.New(backends.Deps{Store: d.store, Gate: gate, Files: pipeline, Engine: memorybackend.New(memorybackend.Config{}), Now: time.Now, Log: log}),
			Bus:      bus, Address: func(slug string) string { return "http://" + slug + ".localhost" }, Now: time.Now, Log: log,
		}),
	}
}

// start starts the API without any user.
func start(t testing.TB, d adapterSet) *world {
	t.Helper()
	w := &world{TB: t, adapterSet: d, useCases: newUseCases(d)}
	records := audit.New(audit.Deps{Store: d.store, Gate: w.gate, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	identity := accounts.Deps{
		Doors:     instance.NewDoors(d.store, access.NewGate(d.store), instance.Environment{Preset: core.SignupOpen}, time.Now),
		Companies: companysignin.NewRules(w.gate),
		Store:     d.store, Tokens: memory.NewTokens(time.Now), Passwords: memory.NewPasswords(), Audit: records, Mails: mailer.New(memory.NewSealer(), time.Now), Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Settings: accounts.Settings{AccessTTL: time.Hour, RefreshTTL: time.Hour},
	}
	app, err := url.Parse("http://localhost")
	must(t, err)
	w.server = httptest.NewServer(httpapi.New(httpapi.Deps{UseCases: httpapi.UseCases{
		Accounts:   accounts.New(identity),
		Workspaces: workspaces.New(workspaces.Deps{Store: d.store, Gate: w.gate, Audit: records, Now: time.Now}),
		Projects:   w.projects, Files: w.service, Versions: w.versions, Backends: &backends.Service{},
	}, Sealer: memory.NewSealer(),
		Settings: httpapi.Settings{AppURL: app, AccessTTL: time.Hour, RefreshTTL: time.Hour}, Log: slog.New(slog.DiscardHandler), Now: time.Now,
	}))
	t.Cleanup(w.server.Close)
	return w
}

// signUp makes a user and acts as them from now on.
func (w *world) signUp(email string) {
	w.Helper()
	answer := w.json("POST", "/auth/signup", fmt.Sprintf(`{"email":%q,"password":"correct horse"}`, email))
	w.want(answer, 201)
	w.token, w.workspace = answer.text("accessToken"), answer.text("workspace", "id")
	w.actor = core.Actor{UserID: core.ID(answer.text("user", "id"))}
}

func (w *world) createProject(name string) string {
	w.Helper()
	answer := w.json("POST", "/workspaces/"+w.workspace+"/projects", fmt.Sprintf(`{"name":%q,"template":"static-html"}`, name))
	w.want(answer, 201)
	return answer.text("id")
}

// file is the target of a file of the project; path is escaped already.
func (w *world) file(path string) string { return "/projects/" + w.project + "/files/" + path }

// reply is an answer whose body was read.
type reply struct {
	*http.Response
	body string
}

// text returns a member of a JSON object.
func (r reply) text(path ...string) string {
	var value any
	_ = json.Unmarshal([]byte(r.body), &value)
	for _, name := range path {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	text, _ := value.(string)
	return text
}

func (r reply) into(t testing.TB, value any) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.body), value); err != nil {
		t.Fatalf("%s: %v", r.body, err)
	}
}

// do sends a request as the current user; headers are name, value pairs.
func (w *world) do(method, target string, body io.Reader, headers ...string) reply {
	w.Helper()
	request, err := http.NewRequest(method, w.server.URL+target, body)
	must(w, err)
	if w.token != "" {
		request.Header.Set("Authorization", "Bearer "+w.token)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Add(headers[i], headers[i+1])
	}
	response, err := w.described().RoundTrip(request)
	must(w, err)
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	must(w, err)
	return reply{response, string(text)}
}

func (w *world) get(target string, headers ...string) reply {
	w.Helper()
	return w.do("GET", target, nil, headers...)
}

func (w *world) put(path, content string, headers ...string) reply {
	w.Helper()
	return w.do("PUT", w.file(path), strings.NewReader(content), headers...)
}

func (w *world) json(method, target, body string) reply {
	w.Helper()
	return w.do(method, target, strings.NewReader(body), "Content-Type", "application/json")
}

func (w *world) bulk(body string) reply {
	w.Helper()
	return w.json("POST", "/projects/"+w.project+"/files/bulk", body)
}

// raw sends a request line that no client library would.
func (w *world) raw(method, target, body string) reply {
	w.Helper()
	conn, err := net.Dial("tcp", w.server.Listener.Addr().String())
	must(w, err)
	defer func() { _ = conn.Close() }()
	must(w, conn.SetDeadline(time.Now().Add(2*time.Minute)))
	_, err = fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s",
		method, target, w.token, len(body), body)
	must(w, err)
	response, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	must(w, err)
	text, err := io.ReadAll(response.Body)
	must(w, err)
	return reply{response, string(text)}
}

// want fails the test unless the answer has the status and, beside an error, the
// code.
func (w *world) want(got reply, status int, code ...string) {
	w.Helper()
	if got.StatusCode != status || len(code) > 0 && got.text("error") != code[0] {
		w.Fatalf("%s %s: got %d %.300s, want %d %v", got.Request.Method, got.Request.URL, got.StatusCode, got.body, status, code)
	}
}

// list returns the paths of the project's files.
func (w *world) list() []string {
	w.Helper()
	answer := w.get("/projects/" + w.project + "/files")
	w.want(answer, 200)
	var entries []core.FileEntry
	answer.into(w, &entries)
	paths := []string{}
	for _, entry := range entries {
		paths = append(paths, entry.Path.String())
	}
	return paths
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
}

func bodyOf(size int) *bytes.Reader { return bytes.NewReader(bytes.Repeat([]byte("x"), size)) }
