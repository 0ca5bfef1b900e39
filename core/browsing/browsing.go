package browsing

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/core/preview"
	"github.com/atelierhq/atelier/ports/browser"
	"github.com/atelierhq/atelier/ports/storage"
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
	// Store has the revisions of projects' files; with nil, pages that hang are not remembered.
	Store storage.Store
	// Pace stretches the waits for a place.
	Pace core.Pace
}

const (
	// MaxPages is how many pages are open at once: two of one workspace (core/fair), and one of
	// another that has none. The browser has room for one more, the camera of thumbnails.
	MaxPages = pagesOfOne + 1
	// pagesOfOne is how many pages of one workspace are open.
	pagesOfOne = 2
	// idleLimit is how long an unused page stays open. A model that thinks for longer gets a
	// new one.
	idleLimit = 2 * time.Minute
)

// Service opens pages. It may be used by many goroutines. Its callers have checked access.
type Service struct {
	deps   Deps
	places *fair.Semaphore
	hangs  *hangs

	mu sync.Mutex
	// waiting counts the pages of each workspace that wait for a place.
	waiting map[core.ID]int
	// open are the pages that have a place, longest unused first.
	open []*Page
}

// New returns a service that opens nothing yet.
func New(deps Deps) *Service {
	places := fair.New(fair.Bounds{Capacity: pagesOfOne, Reserve: MaxPages - pagesOfOne})
	return &Service{deps: deps, places: places, hangs: newHangs(deps.Store), waiting: map[core.ID]int{}}
}

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
	// Patience is how long a use of the page waits for a place, at Deps.Pace, before it fails with
	// core.CodeUnavailable. 0 is as long as its ctx.
	Patience time.Duration
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

// takePlace waits for a place of the workspace (fair.Tenant), as long as the visit may, and has a page
// that rests give up its own if none is free.
func (s *Service) takePlace(ctx context.Context, page *Page) error {
	page.owner = cmp.Or(fair.Tenant(ctx), page.visit.Project)
	if !s.places.TryAcquire(page.owner, 1) {
		s.wait(page.owner, 1)
		s.serveWaiting()
		err := s.awaitPlace(ctx, page)
		s.wait(page.owner, -1)
		if err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = append(s.open, page)
	return nil
}

func (s *Service) awaitPlace(ctx context.Context, page *Page) error {
	patience := page.visit.Patience
	if patience == 0 {
		return s.places.Acquire(ctx, page.owner, 1)
	}
	short, cancel := context.WithTimeout(ctx, s.deps.Pace.Of(patience))
	defer cancel()
	err := s.places.Acquire(short, page.owner, 1)
	if err != nil && ctx.Err() == nil {
		return core.Errorf(core.CodeUnavailable, "no tab of the browser was free within %d seconds, because others look at their pages", int(patience.Seconds()))
	}
	return err
}

// wait counts a page that waits for a place, or does so no longer.
func (s *Service) wait(owner core.ID, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting[owner] += n; s.waiting[owner] == 0 {
		delete(s.waiting, owner)
	}
}

// serveWaiting closes the tab of the page that has rested longest, if that helps somebody who waits
// for a place.
func (s *Service) serveWaiting() {
	for _, page := range s.helpful() {
		if page.giveUp() {
			return
		}
	}
}

// helpful returns the pages whose places somebody who waits could have, longest unused first. Whoever
// has all that one workspace may have can only have another of its own.
func (s *Service) helpful() []*Page {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []*Page
	for _, page := range s.open {
		for owner := range s.waiting {
			if owner == page.owner || s.places.Held(owner) < pagesOfOne {
				found = append(found, page)
				break
			}
		}
	}
	return found
}

// givePlace takes a page's place back.
func (s *Service) givePlace(page *Page) {
	s.mu.Lock()
	s.remove(page)
	s.mu.Unlock()
	s.places.Release(page.owner, 1)
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
