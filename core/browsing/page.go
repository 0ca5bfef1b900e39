package browsing

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/preview"
	"github.com/atelierhq/atelier/ports/browser"
)

// Page is a page of a preview. Its methods may be called by several goroutines, but wait for
// each other. A page that lost its place, or whose browser failed, is opened again at the path
// where it began by the next call.
type Page struct {
	service *Service

	// mu is held while the page is used.
	mu    sync.Mutex
	visit Visit
	// tab is nil while the page is closed.
	tab browser.Tab
	// owner is the workspace whose place the page has.
	owner core.ID
	// origin is the address of the preview in the tab. outdated says that the project does not
	// build at present.
	origin   string
	outdated bool
	// seen is the last snapshot.
	seen browser.Snapshot
	// trail lists the actions since the page was opened at the visit's path.
	trail []core.CheckStep
	idle  *time.Timer
	// fresh says that the present use opened the tab.
	fresh bool
	ended bool
}

// use calls work with the open tab.
func (p *Page) use(ctx context.Context, work func(browser.Tab) error) error {
	p.mu.Lock()
	defer p.rest()
	if p.idle != nil {
		p.idle.Stop()
	}
	if p.ended {
		return core.Errorf(core.CodeUnavailable, "the page is closed")
	}
	p.fresh = false
	if p.tab == nil {
		if p.visit.Kept && p.origin != "" {
			return core.Errorf(core.CodeUnavailable, "the page has crashed")
		}
		if err := p.open(ctx); err != nil {
			return err
		}
	}
	err := work(p.tab)
	if err != nil && !core.IsCode(err, core.CodeValidationFailed) {
		p.leave()
	}
	return err
}

// rest lets others use the page, and closes it when nobody does for a while.
func (p *Page) rest() {
	if p.tab == nil {
		p.mu.Unlock()
		return
	}
	p.idle = time.AfterFunc(idleLimit, func() { p.giveUp() })
	p.mu.Unlock()
	p.service.used(p)
}

// giveUp closes the tab unless the page is in use, and reports whether it did.
func (p *Page) giveUp() bool {
	if !p.mu.TryLock() {
		return false
	}
	defer p.mu.Unlock()
	had := p.tab != nil && !p.visit.Kept
	if had {
		p.leave()
	}
	return had
}

// open opens the tab at the visit's path.
func (p *Page) open(ctx context.Context) error {
	if err := p.service.Available(ctx); err != nil {
		return err
	}
	status, err := p.service.started(ctx, p.visit.Project)
	if err != nil {
		return err
	}
	key := pageKey{p.visit.Project, p.visit.Path}
	revision, err := p.service.hangs.check(ctx, key)
	if err != nil {
		return err
	}
	if err := p.service.takePlace(ctx, p); err != nil {
		return err
	}
	p.origin, p.outdated = cmp.Or(p.visit.Origin, status.URL), status.Status == preview.StateError
	p.tab, err = p.service.deps.Browser.Open(ctx, browser.Page{
		Address: p.origin + p.visit.Path, Tenant: string(p.visit.Project), Window: p.visit.Window,
		Dark: p.visit.Dark, ReadOnly: p.visit.ReadOnly, Storage: p.visit.Storage,
	})
	if ctx.Err() == nil {
		p.service.hangs.note(key, revision, err)
	}
	if err != nil {
		p.tab = nil
		p.service.givePlace(p)
	}
	p.seen, p.trail, p.fresh = browser.Snapshot{}, nil, true
	return err
}

// leave closes the tab, if there is one. The page is locked.
func (p *Page) leave() {
	if p.tab == nil {
		return
	}
	p.tab.Close()
	p.tab, p.seen = nil, browser.Snapshot{}
	p.service.givePlace(p)
}

// Close closes the page for good.
func (p *Page) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.idle != nil {
		p.idle.Stop()
	}
	p.ended = true
	p.leave()
}

// Warm opens the page in the background, for a caller who will need it soon.
func (p *Page) Warm(ctx context.Context) {
	// A page that cannot be opened reports that to its next use.
	go func() { _ = p.use(ctx, func(browser.Tab) error { return nil }) }()
}

// Go loads a path of the preview in its present state, or the page that is shown if the path is
// empty. What was done before is forgotten.
func (p *Page) Go(ctx context.Context, path string) error {
	if path != "" && (!strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//")) {
		return core.Errorf(core.CodeValidationFailed, "%q is no path of the page: it begins with /", core.Shorten(path, 80))
	}
	p.mu.Lock()
	if path == "" && p.seen.URL != "" {
		path = p.seen.URL
	}
	if path != "" {
		p.visit.Path = path
	}
	p.mu.Unlock()
	return p.use(ctx, func(tab browser.Tab) error {
		if p.fresh {
			return nil
		}
		status, err := p.service.started(ctx, p.visit.Project)
		if err != nil {
			return err
		}
		if status.URL != p.origin {
			p.leave()
			return p.open(ctx)
		}
		p.outdated, p.trail = status.Status == preview.StateError, nil
		return tab.Do(ctx, browser.Step{Do: browser.Goto, Value: p.visit.Path})
	})
}

// Look says what the page shows, and what happened on it since the last Look.
func (p *Page) Look(ctx context.Context) (View, error) {
	var view View
	err := p.use(ctx, func(tab browser.Tab) error {
		if _, err := p.snapshot(ctx, tab); err != nil {
			return err
		}
		view = p.viewOf(tab.Status(), tab.Log())
		return nil
	})
	return view, err
}

func (p *Page) snapshot(ctx context.Context, tab browser.Tab) (browser.Snapshot, error) {
	seen, err := tab.Snapshot(ctx)
	if err == nil {
		p.seen = seen
	}
	return seen, err
}

// pictureWidth is the width of a picture in pixels: models see no more of a larger one.
const pictureWidth = 1024

// Picture returns a PNG of what the window shows.
func (p *Page) Picture(ctx context.Context) ([]byte, error) {
	var picture []byte
	err := p.use(ctx, func(tab browser.Tab) error {
		var err error
		picture, err = tab.Picture(ctx, p.width(pictureWidth))
		return err
	})
	return picture, err
}

// PictureAt returns a PNG of the page in a window of another size. It loads the page for that, and
// again the next time it is used.
func (p *Page) PictureAt(ctx context.Context, window browser.Window) ([]byte, error) {
	usual := p.resize(window)
	defer p.resize(usual)
	return p.Picture(ctx)
}

// resize closes the tab, and has the next use open one of another size.
func (p *Page) resize(window browser.Window) (before browser.Window) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leave()
	before, p.visit.Window = p.visit.Window, window
	return before
}

const (
	// frameWidth is the width of a frame in pixels, and frameTime how long it may take.
	frameWidth = 640
	frameTime  = 2 * time.Second
)

// Frame returns a smaller PNG of what the window shows, for a person who watches. Unlike Picture,
// it neither opens the page nor closes it when it fails.
func (p *Page) Frame(ctx context.Context) ([]byte, error) {
	p.mu.Lock()
	defer p.rest()
	if p.tab == nil {
		return nil, core.Errorf(core.CodeUnavailable, "the page is closed")
	}
	if p.idle != nil {
		p.idle.Stop()
	}
	ctx, cancel := context.WithTimeout(ctx, frameTime)
	defer cancel()
	return p.tab.Picture(ctx, p.width(frameWidth))
}

// width is the width of a picture that has at most this many pixels.
func (p *Page) width(most int) int {
	if p.visit.Window.Width > 0 {
		return min(most, p.visit.Window.Width)
	}
	return most
}

// Trail returns what was done and expected since the page was opened at a path. References are
// replaced by roles and names, so that it can be done again on another day.
func (p *Page) Trail() (path string, steps []core.CheckStep) {
	// Somebody who waited for a place meanwhile could not have this page's.
	defer p.service.serveWaiting()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.visit.Path, slices.Clone(p.trail)
}
