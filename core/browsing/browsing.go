package browsing

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/preview"
	"github.com/atelierhq/atelier/ports/browser"
)

// Previews returns the address of a project's preview; preview.Service implements it.
type Previews interface {
	// Status starts a preview, and waits for it a moment.
	Status(ctx context.Context, project core.ID) (preview.Status, error)
	// InSources returns what a page said with the places in its code as those in the sources.
	InSources(project core.ID, text string) string
}

// Switch says whether pages are opened at all.
type Switch bool

// Deps has the dependencies of a Service.
type Deps struct {
	Enabled  Switch
	Browser  browser.Browser
	Previews Previews
}

const (
	// MaxPages is how many pages are open at once. The browser has room for one more, the
	// camera of thumbnails.
	MaxPages = 2
	// idleLimit is how long an unused page stays open. A model that thinks for longer gets a
	// new one.
	idleLimit = 2 * time.Minute
)

// Service opens pages. It may be used by many goroutines. Its callers have checked access.
type Service struct {
	deps Deps

	mu sync.Mutex
	// taken is how many of MaxPages places are taken.
	taken int
	// waiting are those who wait for a place, longest waiting first. One whose channel is closed
	// has got it.
	waiting []chan struct{}
	// open are the pages that have a place, longest unused first.
	open []*Page
}

// New returns a service that opens nothing yet.
func New(deps Deps) *Service { return &Service{deps: deps} }

// Available returns nil if pages can be opened, else core.CodeSandboxUnavailable with the reason.
func (s *Service) Available(ctx context.Context) error {
	if !s.deps.Enabled {
		return core.Errorf(core.CodeSandboxUnavailable, "no page can be opened, because BROWSING is off")
	}
	return s.deps.Browser.Available(ctx)
}

// Visit says which page of a project's preview to open, and how.
type Visit struct {
	Project core.ID
	// Path is the page's path and query. It is "/" if it is empty.
	Path string
	// Window, Dark, ReadOnly and Storage are those of browser.Page.
	Window   browser.Window
	Dark     bool
	ReadOnly bool
	Storage  map[string]string
	// Origin is another address of the preview than its own, as preview.Service.Rehearse gives it.
	Origin string
	// Kept keeps the page's place until Close. It is not opened again either, because that
	// would lose what was done on it.
	Kept bool
}

// Open opens a page. Close it. Errors are those of browser.Browser.Open and of Previews.
func (s *Service) Open(ctx context.Context, visit Visit) (*Page, error) {
	page := s.Page(visit)
	if err := page.use(ctx, func(browser.Tab) error { return nil }); err != nil {
		page.Close()
		return nil, err
	}
	return page, nil
}

// Page returns a page that its first use opens. Close it.
func (s *Service) Page(visit Visit) *Page {
	if visit.Path == "" {
		visit.Path = "/"
	}
	return &Page{service: s, visit: visit}
}

// started waits until a preview has started, and returns its status. Before that, the preview shows
// a notice instead of the project's pages.
func (s *Service) started(ctx context.Context, project core.ID) (preview.Status, error) {
	for {
		status, err := s.deps.Previews.Status(ctx, project)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || status.Status != preview.StateStarting {
			return status, err
		}
	}
}

// takePlace waits for a place, and has a page that rests give up its own if none is free. Those who
// wait get places in order.
func (s *Service) takePlace(ctx context.Context, page *Page) error {
	turn := s.queue()
	s.serveWaiting()
	select {
	case <-turn:
	case <-ctx.Done():
		s.leaveQueue(turn)
		return ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = append(s.open, page)
	return nil
}

func (s *Service) queue() chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	turn := make(chan struct{})
	s.waiting = append(s.waiting, turn)
	s.passOn()
	return turn
}

// leaveQueue ends the wait for a place, and gives it back if it was got meanwhile.
func (s *Service) leaveQueue(turn chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := slices.Index(s.waiting, turn); at >= 0 {
		s.waiting = slices.Delete(s.waiting, at, at+1)
		return
	}
	s.taken--
	s.passOn()
}

// passOn gives free places to those who wait. The service is locked.
func (s *Service) passOn() {
	for s.taken < MaxPages && len(s.waiting) > 0 {
		s.taken++
		close(s.waiting[0])
		s.waiting = s.waiting[1:]
	}
}

// serveWaiting closes the tab of the page that has rested longest, if somebody waits for a place.
func (s *Service) serveWaiting() {
	s.mu.Lock()
	var open []*Page
	if len(s.waiting) > 0 {
		open = slices.Clone(s.open)
	}
	s.mu.Unlock()
	for _, page := range open {
		if page.giveUp() {
			return
		}
	}
}

// givePlace takes a page's place back.
func (s *Service) givePlace(page *Page) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(page)
	s.taken--
	s.passOn()
}

// used notes that a page was used just now.
func (s *Service) used(page *Page) {
	s.mu.Lock()
	if s.remove(page) {
		s.open = append(s.open, page)
	}
	s.mu.Unlock()
	s.serveWaiting()
}

// remove takes a page from the open ones. The service is locked.
func (s *Service) remove(page *Page) bool {
	for i, other := range s.open {
		if other == page {
			s.open = append(s.open[:i], s.open[i+1:]...)
			return true
		}
	}
	return false
}
