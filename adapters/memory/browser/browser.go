package browser

import (
	"context"
	"net/http"
	"net/url"
	"sync"

	"github.com/atelierhq/atelier/core"
	port "github.com/atelierhq/atelier/ports/browser"
)

var _ port.Browser = (*Browser)(nil)

// Browser implements browser.Browser. It is safe for concurrent use.
type Browser struct {
	pages http.Handler

	mu          sync.Mutex
	unavailable bool
}

// New returns a browser for the pages that a handler serves by their hosts.
func New(pages http.Handler) *Browser { return &Browser{pages: pages} }

// SetAvailable says whether pages can be opened.
func (b *Browser) SetAvailable(available bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unavailable = !available
}

// Available implements browser.Browser.
func (b *Browser) Available(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.unavailable {
		return core.Errorf(core.CodeSandboxUnavailable, "no browser is available")
	}
	return ctx.Err()
}

// Open implements browser.Browser.
func (b *Browser) Open(ctx context.Context, page port.Page) (port.Tab, error) {
	if err := b.Available(ctx); err != nil {
		return nil, err
	}
	at, err := url.Parse(page.Address)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" || len(page.Address) > 4096 {
		return nil, core.Errorf(core.CodeUnavailable, "this is not the address of a page")
	}
	if page.Window == (port.Window{}) {
		page.Window = port.Window{Width: port.DesktopWidth, Height: port.DesktopHeight}
	}
	opened := &tab{pages: b.pages, page: page, at: at, leave: func() {}}
	return opened, opened.load(ctx, http.MethodGet, at, nil)
}
