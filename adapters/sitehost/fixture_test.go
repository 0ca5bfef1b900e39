package sitehost_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/andybalholm/brotli"

	"github.com/atelierhq/atelier/adapters/memory"
	memorybackend "github.com/atelierhq/atelier/adapters/memory/backend"
	memorybrowser "github.com/atelierhq/atelier/adapters/memory/browser"
	"github.com/atelierhq/atelier/adapters/sitehost"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/core/environment"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/looks"
	"github.com/atelierhq/atelier/core/preview"
	"github.com/atelierhq/atelier/core/publish"
	"github.com/atelierhq/atelier/core/siteaccess"
	"github.com/atelierhq/atelier/core/visits"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
)

//go:generate go tool moq -out findermock_test.go -pkg sitehost_test . Sites:finderMock

// studio is a project, with its site and its preview behind a real server.
type studio struct {
	t        testing.TB
	store    *memory.Store
	sites    *memory.Sites
	bus      *memory.Bus
	pipeline *files.Pipeline
	publish  *publish.Service
	backends *backends.Service
	preview  *preview.Service
	looks    *looks.Service
	guard    *siteaccess.Guard
	visits   *visits.Counter
	handler  *sitehost.Handler
	finder   *finderMock
	server   *httptest.Server
	owner    core.Actor
	space    core.ID
	project  core.ID
	tools    *memory.Toolchain
	browser  *memorybrowser.Browser
	// later is how far the clock of the links is ahead.
	later time.Duration
	// asked counts what is asked about sites, and what previews and links ask the store.
	asked atomic.Int64
}

// countedStore counts what is asked outside of transactions.
type countedStore struct {
	storage.Store
	asked *atomic.Int64
}

func (c countedStore) Tables() storage.Tables {
	c.asked.Add(1)
	return c.Store.Tables()
}

// hashingBuilder imitates a bundler: each file below assets/ gets its hash into its name,
// and pages use that name.
type hashingBuilder struct{ build.Builder }

func (b hashingBuilder) Build(ctx context.Context, req build.Request) (build.Result, error) {
	made, err := b.Builder.Build(ctx, req)
	renamed := map[string]string{}
	for i, file := range made.Files {
		if name, isAsset := strings.CutPrefix(file.Path, "assets/"); isAsset {
			sum := sha256.Sum256(file.Content)
			made.Files[i].Path = "assets/" + hex.EncodeToString(sum[:4]) + "-" + name
			made.Files[i].Immutable = true
			renamed[file.Path] = made.Files[i].Path
		}
	}
	for i, file := range made.Files {
		for from, to := range renamed {
			if strings.HasSuffix(file.Path, ".html") {
				made.Files[i].Content = bytes.ReplaceAll(made.Files[i].Content, []byte(from), []byte(to))
			}
		}
	}
	return made, err
}

const script = "console.log('one'); // "

// sources is a project with all that a host has to tell apart.
func sources() fstest.MapFS {
	return fstest.MapFS{
		"index.html":               {Data: []byte("<!doctype html><html><head><script src=\"/assets/app.js\"></script></head><body>home" + strings.Repeat(" ", 1000) + "</body></html>")},
		"assets/app.js":            {Data: []byte(script + strings.Repeat("x", 2000))},
		"docs/index.html":          {Data: []byte("<html>docs</html>")},
		"public/logo.png":          {Data: []byte("\x89PNG" + strings.Repeat("\x00\x01", 1000))},
		"public/robots.txt":        {Data: []byte("User-agent: *")},
		"notes/a b ü.txt":          {Data: []byte("spaces")},
		"public/sub/deep/page.htm": {Data: []byte("<p>deep</p>")},
	}
}

// lastingSessions is siteaccess.Callers whose sessions go on.
type lastingSessions struct{}

func (lastingSessions) Ended(context.Context, core.Actor) bool { return false }

func newStudio(t testing.TB) *studio {
	log := slog.New(slog.DiscardHandler)
	trees, bus := memory.NewTrees(), memory.NewBus()
	s := &studio{t: t, tools: memory.NewToolchain(trees), store: memory.NewStore(), sites: memory.NewSites(), bus: bus, space: core.NewID()}
	s.browser = memorybrowser.New(http.HandlerFunc(s.route))
	gate := access.NewGate(s.store)
	s.pipeline = files.NewPipeline(files.Deps{
		Exclusive: true,
		Trees:     trees, Repositories: memory.NewRepositories(trees), Store: s.store, Bus: bus,
		Unsaved: memory.NewUnsaved(), Locks: memory.NewLocks(), Now: time.Now, Log: log,
	})
	values := environment.New(environment.Deps{Store: s.store, Gate: gate, Bus: bus, Sealer: memory.NewSealer(), Audit: audit.New(audit.Deps{Store: s.store, Gate: gate, Now: time.Now, Log: log}), Now: time.Now, Log: log})
	maker := builds.NewMaker(builds.Deps{Sources: s.pipeline, Environment: values, Resolver: memory.NewPackages(), Builder: hashingBuilder{memory.NewBuilder()}, Tools: s.tools})
	s.backends = backends.New(backends.Deps{Store: s.store, Gate: gate, Files: s.pipeline, Engine: memorybackend.New(memorybackend.Config{}), Now: time.Now, Log: log})
	s.publish = publish.New(publish.Deps{
		Backends: s.backends,
		Store:    s.store, Gate: gate, Audit: audit.New(audit.Deps{Store: s.store, Gate: gate, Now: time.Now, Log: log}), Bus: bus, Committer: s.pipeline.Committer, Maker: maker, Sites: s.sites, Passwords: memory.NewPasswords(),
		Address: func(slug string) string { return "http://" + slug + ".sites.test" }, Picture: func(core.ID) {}, Now: time.Now, Log: log,
	})
	s.preview = preview.New(preview.Deps{
		Store: countedStore{s.store, &s.asked}, Gate: gate, Bus: bus, Sealer: memory.NewSealer(), Maker: maker, Now: time.Now, Log: log,
		Settings: preview.Settings{Scheme: "http", Domain: "preview.sites.test"},
	})
	s.looks = looks.New(looks.Deps{
		Store: countedStore{s.store, &s.asked}, Gate: gate, Audit: audit.New(audit.Deps{Store: s.store, Gate: gate, Now: time.Now, Log: log}), History: s.pipeline.History, Committer: s.pipeline.Committer, Maker: maker, Browser: s.browser,
		Sealer: memory.NewSealer(), Previews: preview.Settings{Scheme: "http", Domain: "preview.sites.test"}, Now: func() time.Time { return time.Now().Add(s.later) },
	})
	s.finder = &finderMock{
		SiteFunc: func(ctx context.Context, slug string) (publish.Site, error) {
			s.asked.Add(1)
			return s.publish.Site(ctx, slug)
		},
		SiteAtFunc: func(ctx context.Context, domain string) (publish.Site, error) {
			s.asked.Add(1)
			return s.publish.SiteAt(ctx, domain)
		},
	}
	s.guard = siteaccess.NewGuard(siteaccess.Deps{
		Store: s.store, Gate: gate, Passwords: memory.NewPasswords(), Sealer: memory.NewSealer(), Now: time.Now, Callers: lastingSessions{},
		Address: func(slug string) string { return "http://" + slug + ".sites.test" },
	})
	s.visits = visits.NewCounter(visits.Deps{Store: s.store, Gate: gate, Now: time.Now, Log: log})
	s.handler = sitehost.New(sitehost.Deps{Sites: s.finder, Files: s.sites, Previews: s.preview, Looks: s.looks, Data: s.backends, Guard: s.guard, Visits: s.visits, Log: log}, sitehost.Settings{
		AppURL: &url.URL{Scheme: "http", Host: "studio.test:8080"}, AppDomain: "sites.test", PreviewDomain: "preview.sites.test",
	})
	s.server = httptest.NewServer(http.HandlerFunc(s.route))
	t.Cleanup(func() { s.server.CloseClientConnections(); s.server.Close(); s.preview.Close(); s.publish.Close() })
	s.populate()
	return s
}

// route switches hosts as the whole program does.
func (s *studio) route(w http.ResponseWriter, r *http.Request) {
	if site := s.handler.Find(r); site != nil {
		site.ServeHTTP(w, r)
		return
	}
	_, _ = io.WriteString(w, "the API")
}

func (s *studio) populate() {
	s.t.Helper()
	ctx, tables := s.t.Context(), s.store.Tables()
	s.owner, s.project = core.Actor{UserID: core.NewID()}, core.NewID()
	s.must(tables.Users.Create(ctx, core.User{ID: s.owner.UserID, Email: "owner@example.com"}))
	s.must(tables.Workspaces.Create(ctx, core.Workspace{ID: s.space, Name: "Space", Slug: "space"}))
	s.must(tables.Workspaces.PutMember(ctx, core.Membership{WorkspaceID: s.space, UserID: s.owner.UserID, Role: core.RoleOwner}))
	rows, err := s.pipeline.Create(ctx, s.project, sources(), vcs.Commit{Message: "First", Author: core.Author{Kind: core.AuthorUser, Name: "owner"}})
	s.must(err)
	s.must(tables.Projects.Create(ctx, core.Project{
		ID: s.project, WorkspaceID: s.space, Slug: "shop", Name: "Shop", Visibility: core.VisibilityWorkspace, CreatedBy: s.owner.UserID,
	}))
	_, err = tables.Files.Apply(ctx, s.project, storage.FileDelta{Put: rows})
	s.must(err)
}

func (s *studio) write(path, content string) {
	s.t.Helper()
	changes := []core.FileChange{{Op: core.OpWrite, Path: core.MustPath(path), Content: []byte(content)}}
	results, err := s.pipeline.Apply(s.t.Context(), s.project, core.Author{}, changes, nil)
	s.must(err)
	s.must(results[0].Err)
}

func (s *studio) mustPublish() {
	s.t.Helper()
	_, err := s.publish.Publish(s.t.Context(), s.owner, s.project, publish.Request{})
	s.must(err)
}

// previewHost is the host of the project's preview.
func (s *studio) previewHost() string {
	s.t.Helper()
	status, err := s.preview.Start(s.t.Context(), s.owner, s.project)
	s.must(err)
	return strings.TrimPrefix(status.URL, "http://")
}

// answer is a response that has been read.
type answer struct {
	*http.Response
	body string
}

// ask sends a request to a host; headers are pairs of name and value. It follows
// no redirect and decodes nothing.
func (s *studio) ask(method, host, path string, headers ...string) answer {
	s.t.Helper()
	return s.send(method, host, path, nil, headers...)
}

func (s *studio) get(host, path string, headers ...string) answer {
	s.t.Helper()
	return s.send(http.MethodGet, host, path, nil, headers...)
}

func (s *studio) send(method, host, path string, body io.Reader, headers ...string) answer {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.server.URL, body)
	s.must(err)
	req.Host, req.URL.Opaque = host, path
	for i := 0; i < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	transport := &http.Transport{DisableCompression: true}
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(req)
	s.must(err)
	defer resp.Body.Close()
	read, err := io.ReadAll(resp.Body)
	s.must(err)
	return answer{resp, string(read)}
}

// decoded is the body without its Content-Encoding.
func (a answer) decoded(t testing.TB) string {
	t.Helper()
	var reader io.Reader = strings.NewReader(a.body)
	switch a.Header.Get("Content-Encoding") {
	case "br":
		reader = brotli.NewReader(reader)
	case "gzip":
		unzipped, err := gzip.NewReader(reader)
		if err != nil {
			t.Fatal(err)
		}
		reader = unzipped
	}
	read, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return string(read)
}

func (s *studio) source(path string) string {
	s.t.Helper()
	content, err := fs.ReadFile(sources(), path)
	s.must(err)
	return string(content)
}

func (s *studio) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}
