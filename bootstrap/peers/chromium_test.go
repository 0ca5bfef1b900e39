package peers

import (
	"context"
	"fmt"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// patience is how long a page may take for one step.
const patience = 20 * time.Second

// startChromium starts a browser with an empty profile, in which names below
// localhost lead to this machine.
func startChromium(b *testing.B) context.Context {
	b.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		b.Fatal("chromium is not installed: run `make bench`, which installs what is needed")
	}
	allocator, release := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(program), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("no-proxy-server", true), chromedp.Flag("disable-background-timer-throttling", true),
		chromedp.Flag("disable-renderer-backgrounding", true),
	)
	b.Cleanup(release)
	browser, stop := chromedp.NewContext(allocator)
	b.Cleanup(stop)
	if err := chromedp.Do(browser); err != nil {
		b.Fatal(err)
	}
	return browser
}

// tab is a page in the browser.
type tab struct {
	b   *testing.B
	ctx context.Context
}

// open opens a tab that shares nothing with any other.
func open(b *testing.B, browser context.Context) *tab {
	b.Helper()
	ctx, leave := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	b.Cleanup(leave)
	// The tab lives as long as the context that it is first used with.
	if err := chromedp.Do(ctx); err != nil {
		b.Fatal(err)
	}
	return &tab{b, ctx}
}

// begin loads an address, and does not wait for what the page names.
func (t *tab) begin(address string) {
	t.b.Helper()
	ctx, cancel := context.WithTimeout(t.ctx, patience)
	defer cancel()
	if _, err := chromedp.Call(ctx, page.Navigate, page.NavigateParams{URL: address}); err != nil {
		t.b.Fatalf("%s: %v", address, err)
	}
}

// await waits until an expression is true, which the page itself looks for at every
// frame, through reloads.
func (t *tab) await(expression string) {
	t.b.Helper()
	watch := fmt.Sprintf(`new Promise(done => { const look = () => (%s) ? done(true) : setTimeout(look, 1); look() })`, expression)
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(t.ctx, patience)
		is, err := chromedp.Run(ctx, chromedp.Evaluate[bool](watch, chromedp.EvalAwaitPromise))
		cancel()
		if err == nil && is {
			return
		}
	}
	t.b.Fatalf("waited %s for %s", patience, expression)
}

// shows is true when the template's page stands there with its styles.
const shows = `document.querySelector('h1')?.textContent.length > 0 && getComputedStyle(document.body).fontFamily !== 'Times New Roman'`
