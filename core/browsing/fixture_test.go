package browsing_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	membrowser "github.com/atelierhq/atelier/adapters/memory/browser"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/browsing"
	"github.com/atelierhq/atelier/core/preview"
	"github.com/atelierhq/atelier/ports/browser"
	"github.com/atelierhq/atelier/ports/storage"
)

// studio is a project whose preview shows what a test says.
type studio struct {
	t       *testing.T
	browser *membrowser.Browser
	store   storage.Store
	service *browsing.Service

	mu     sync.Mutex
	pages  map[string]string
	host   string
	status preview.State
	// starting is how often the preview still answers that it starts.
	starting int
	loads    int
	// open counts the open tabs, most is the most that were.
	open, most atomic.Int64
	// hung counts how often the page that hangs was opened.
	hung atomic.Int64
}

func newStudio(t *testing.T, pages map[string]string) *studio {
	s := &studio{t: t, store: memory.NewStore(), pages: pages, host: "http://one.preview.test", status: preview.StateReady}
	s.browser = membrowser.New(s)
	s.service = browsing.New(browsing.Deps{Enabled: true, Browser: s, Previews: s, Store: s.store})
	return s
}

// InSources implements browsing.Previews.
func (*studio) InSources(_ core.ID, text string) string { return text }

// Status implements browsing.Previews.
func (s *studio) Status(ctx context.Context, _ core.ID) (preview.Status, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.starting > 0 {
		s.starting--
		return preview.Status{URL: s.host, Status: preview.StateStarting}, ctx.Err()
	}
	return preview.Status{URL: s.host, Status: s.status}, ctx.Err()
}

// ServeHTTP is the preview's host.
func (s *studio) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	page, found := s.pages[r.URL.Path]
	if !found || "http://"+r.Host != s.host {
		http.NotFound(w, r)
		return
	}
	s.loads++
	_, _ = w.Write([]byte(page))
}

// Available implements browser.Browser.
func (s *studio) Available(ctx context.Context) error { return s.browser.Available(ctx) }

// hanging is the path of a page that never loads, hung that of one whose time is over.
const hanging, hung = "/hanging", "/hung"

// Open implements browser.Browser.
func (s *studio) Open(ctx context.Context, page browser.Page) (browser.Tab, error) {
	if strings.HasSuffix(page.Address, hung) {
		s.hung.Add(1)
		return nil, core.Errorf(core.CodeUnavailable, "the page did not load")
	}
	if strings.HasSuffix(page.Address, hanging) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	opened, err := s.browser.Open(ctx, page)
	if err != nil {
		return nil, err
	}
	if now := s.open.Add(1); now > s.most.Load() {
		s.most.Store(now)
	}
	return &countedTab{Tab: opened, studio: s}, nil
}

// countedTab notes when it closes.
type countedTab struct {
	browser.Tab
	studio *studio
}

func (t *countedTab) Close() {
	t.Tab.Close()
	t.studio.open.Add(-1)
}

func (s *studio) show(path, page string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages[path] = page
}

func (s *studio) page(path string) *browsing.Page {
	s.t.Helper()
	page, err := s.service.Open(s.t.Context(), browsing.Visit{Project: core.NewID(), Path: path})
	must(s.t, err)
	s.t.Cleanup(page.Close)
	return page
}

func look(t *testing.T, page *browsing.Page) browsing.View {
	t.Helper()
	view, err := page.Look(t.Context())
	must(t, err)
	return view
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
