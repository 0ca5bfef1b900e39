package chromium

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/ports/screenshot"
)

// browser is a running browser.
type browser struct {
	life context.Context
	// stop ends the browser, and returns when nothing of it is left.
	stop func()
	busy atomic.Bool
}

// isGone reports whether the browser can no longer be used.
func (b *browser) isGone() bool {
	running := chromedp.FromContext(b.life)
	if b.life.Err() != nil || running == nil || running.Browser == nil {
		return true
	}
	select {
	case <-running.Browser.LostConnection:
		return true
	default:
		return false
	}
}

// hostOf returns the host of an address that can be photographed.
func hostOf(address string) (string, error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" || len(address) > 4096 {
		return "", core.Errorf(core.CodeUnavailable, "this is not the address of a page")
	}
	return parsed.Host, nil
}

// take takes a picture in a separate browser context, which shares nothing with others.
// After a failure the browser must not be used again, because what the page did to it is
// unknown.
func (b *browser) take(ctx context.Context, config Config, address, host string) ([]byte, error) {
	b.busy.Store(true)
	defer b.busy.Store(false)
	tab, leave := chromedp.NewContext(b.life, chromedp.WithNewBrowserContext())
	defer leave()
	tab, cancel := context.WithTimeout(tab, config.Patience)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	picture, err := photograph(tab, &source{pages: config.Pages, host: host, tab: tab}, address)
	if err == nil {
		return picture, nil
	}
	b.stop()
	var known *core.Error
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &known):
		return nil, err
	case errors.Is(err, context.DeadlineExceeded):
		return nil, core.Errorf(core.CodeUnavailable, "the page did not finish loading within %s", config.Patience)
	}
	return nil, core.Wrap(core.CodeUnavailable, err, "the browser failed")
}

// pageComplete says when the page is complete: the fonts are loaded, and the root of an
// application is not empty.
const pageComplete = `document.readyState === 'complete' && document.fonts.status === 'loaded' &&
	(document.getElementById('root') ?? document.getElementById('app') ?? document.body)?.childNodes.length !== 0`

const (
	// emptyPatience is how long the root of an application may stay empty.
	emptyPatience = 3 * time.Second
	// animationTime is how long animations may take that start when the page becomes visible.
	animationTime = 250 * time.Millisecond
)

// photograph loads a page. The source answers its requests.
func photograph(tab context.Context, from *source, address string) ([]byte, error) {
	if err := chromedp.Listen(tab, from.notice); err != nil {
		return nil, err
	}
	if _, err := chromedp.Call(tab, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "*"}}}); err != nil {
		return nil, err
	}
	if err := chromedp.Do(tab, chromedp.EmulateViewport(2*screenshot.Width, 2*screenshot.Height)); err != nil {
		return nil, err
	}
	response, err := chromedp.RunResponse(tab, chromedp.Navigate(address))
	if err != nil {
		return nil, err
	}
	if response == nil || response.Status != http.StatusOK {
		return nil, core.Errorf(core.CodeUnavailable, "the page did not answer with status 200")
	}
	if err := settle(tab); err != nil {
		return nil, err
	}
	// The browser scales the picture.
	clip := &page.Viewport{Width: 2 * screenshot.Width, Height: 2 * screenshot.Height, Scale: 0.5}
	shot, err := chromedp.Call(tab, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng, Clip: clip})
	return shot.Data, err
}

// settle waits for the page to be complete. A page that stays empty is photographed
// empty.
func settle(tab context.Context) error {
	waiting, cancel := context.WithTimeout(tab, emptyPatience)
	defer cancel()
	if _, err := chromedp.Run(waiting, chromedp.Poll[bool](pageComplete)); err != nil && waiting.Err() == nil {
		return err
	}
	return ctxsync.Sleep(tab, animationTime)
}
