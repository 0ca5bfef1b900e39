package chromium

import (
	"context"
	"errors"
	"net/url"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/atelierhq/atelier/core"
	port "github.com/atelierhq/atelier/ports/browser"
)

var _ port.Tab = (*tab)(nil)

// tab implements browser.Tab in a browser context of its own, which shares nothing with
// others.
type tab struct {
	config Config
	page   port.Page
	at     *url.URL
	// life is the tab's context, leave ends it.
	life  context.Context
	leave func()
	// release gives the process back once. What a page did to a process that failed is
	// unknown, so it is not healthy.
	release func()
	failed  bool

	requests *source
	activity activity
	streams  streams
	world    world
	log      eventLog
	// acted is when the last step was done.
	acted time.Time
	// refs are the elements of the last snapshot.
	refs map[port.Ref]cdp.BackendNodeID
}

// newTab returns a tab that is not open yet.
func newTab(host *instance, config Config, wanted port.Page, at *url.URL, giveBack func(healthy bool)) *tab {
	if wanted.Window == (port.Window{}) {
		wanted.Window = port.Window{Width: port.DesktopWidth, Height: port.DesktopHeight}
	}
	t := &tab{config: config, page: wanted, at: at}
	t.life, t.leave = chromedp.NewContext(host.life, chromedp.WithNewBrowserContext())
	t.release = sync.OnceFunc(func() {
		if t.failed {
			host.stop()
		}
		t.leave()
		giveBack(!t.failed)
	})
	t.requests = newSource(config, at.Host, wanted.ReadOnly, &t.log)
	t.streams = streams{source: t.requests, activity: &t.activity}
	return t
}

// parseAddress parses the address of a page that can be opened.
func parseAddress(address string) (*url.URL, error) {
	at, err := url.Parse(address)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" || len(address) > 4096 {
		return nil, core.Errorf(core.CodeUnavailable, "this is not the address of a page")
	}
	return at, nil
}

// Close implements browser.Tab.
func (t *tab) Close() { t.release() }

// Status implements browser.Tab.
func (t *tab) Status() int { return t.requests.status() }

// Log implements browser.Tab.
func (t *tab) Log() port.Log { return t.log.take() }

// run calls the browser for ctx, within the tab's patience. An error of the browser, and the
// end of ctx, make the tab useless.
func (t *tab) run(ctx context.Context, work func(ctx context.Context) error) error {
	if t.failed {
		return core.Errorf(core.CodeUnavailable, "the page failed before")
	}
	within, cancel := context.WithTimeout(t.life, t.config.Patience)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	err := work(within)
	var known *core.Error
	switch {
	case err == nil, core.IsCode(err, core.CodeValidationFailed):
		return err
	case ctx.Err() != nil:
		err = ctx.Err()
	case errors.As(err, &known):
	case errors.Is(within.Err(), context.DeadlineExceeded):
		err = core.Errorf(core.CodeUnavailable, "the page did not answer within %s", t.config.Patience)
	default:
		err = core.Wrap(core.CodeUnavailable, err, "the browser failed")
	}
	t.failed = true
	return err
}

// open opens the tab and its page.
func (t *tab) open(ctx context.Context) error {
	// The first call creates the tab with its own context, which outlives ctx.
	stop := context.AfterFunc(ctx, t.leave)
	late := time.AfterFunc(t.config.Patience, t.leave)
	err := chromedp.Do(t.life)
	stop()
	late.Stop()
	return t.run(ctx, func(within context.Context) error {
		if err != nil {
			return err
		}
		if err := t.prepare(within); err != nil {
			return err
		}
		return t.navigate(within, t.at.String())
	})
}

// prepare sets the tab up before it has a page.
func (t *tab) prepare(ctx context.Context) error {
	mine := chromedp.FromContext(t.life)
	t.world.frame = cdp.FrameID(mine.Target.TargetID)
	t.requests.open(t.life)
	if err := chromedp.Listen(t.life, t.notice); err != nil {
		return err
	}
	if err := chromedp.ListenBrowser(t.life, t.closePopups); err != nil {
		return err
	}
	if _, err := chromedp.Call(ctx, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "*"}}}); err != nil {
		return err
	}
	if _, err := chromedp.Call(ctx, runtime.AddBinding, runtime.AddBindingParams{Name: askStream}); err != nil {
		return err
	}
	denied := browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorDeny, BrowserContextID: mine.BrowserContextID}
	if _, err := chromedp.CallBrowser(ctx, browser.SetDownloadBehavior, denied); err != nil {
		return err
	}
	if err := t.world.install(ctx, t.page.Storage); err != nil {
		return err
	}
	if t.page.Dark {
		dark := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}}
		if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, dark); err != nil {
			return err
		}
	}
	return chromedp.Do(ctx, chromedp.EmulateViewport(int64(t.page.Window.Width), int64(t.page.Window.Height)))
}

// navigate opens an address in the tab, and waits until the page rests.
func (t *tab) navigate(ctx context.Context, address string) error {
	before := t.requests.documents()
	answered, err := chromedp.Call(ctx, page.Navigate, page.NavigateParams{URL: address})
	if err != nil {
		return err
	}
	if answered.ErrorText != "" && t.requests.documents() == before {
		return core.Errorf(core.CodeUnavailable, "the page did not load: %s", answered.ErrorText)
	}
	return t.rest(ctx, t.config.Pace.Of(loadLimit))
}

// notice is called by the loop that reads the browser's messages, so it must not block.
func (t *tab) notice(event any) {
	switch e := event.(type) {
	case *fetch.EventRequestPaused:
		t.requests.answer(e)
	case *page.EventJavascriptDialogOpening:
		t.log.add(port.Dialog, e.Message)
		go t.closeDialog()
	case *page.EventWindowOpen:
		t.log.add(port.Popup, e.URL)
	default:
		t.activity.notice(event, t.world.frame)
		t.world.notice(event)
		t.streams.notice(event)
		t.log.notice(event)
	}
}

// closeDialog accepts a dialog, unless the page is only looked at. An error means that the
// page is gone.
func (t *tab) closeDialog() {
	_, _ = chromedp.Call(t.life, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: !t.page.ReadOnly})
}

// closePopups closes the windows that the page opens.
func (t *tab) closePopups(event any) {
	created, ok := event.(*target.EventTargetCreated)
	if !ok || created.TargetInfo.OpenerID != chromedp.FromContext(t.life).Target.TargetID {
		return
	}
	go func() {
		_, _ = chromedp.CallBrowser(t.life, target.CloseTarget, target.CloseTargetParams{TargetID: created.TargetInfo.TargetID})
	}()
}

// Picture implements browser.Tab. The browser scales it.
func (t *tab) Picture(ctx context.Context, width int) ([]byte, error) {
	var picture []byte
	err := t.run(ctx, func(ctx context.Context) error {
		size := t.page.Window
		clip := &page.Viewport{Width: float64(size.Width), Height: float64(size.Height), Scale: float64(width) / float64(size.Width)}
		shot, err := chromedp.Call(ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng, Clip: clip})
		picture = shot.Data
		return err
	})
	if err == nil && len(picture) > port.MaxPictureBytes {
		return nil, core.Errorf(core.CodeValidationFailed, "the picture has %d bytes, at most %d are allowed", len(picture), port.MaxPictureBytes)
	}
	return picture, err
}
