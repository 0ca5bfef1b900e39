package peers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/css"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
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
	// close closes it.
	close func()
}

// open opens a tab that shares nothing with any other, and waits until the browser is
// idle: a new window of Chromium loads pages of its own for a second.
//
// The tab is like people's tabs, without developer tools. Those that the driver opens
// initially make every error that a script creates look up its place, which takes longer
// than all of a page's own work.
func open(b *testing.B, browser context.Context) *tab {
	b.Helper()
	ctx, leave := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	b.Cleanup(leave)
	// The tab lives as long as the context that it is first used with.
	if err := chromedp.Do(ctx); err != nil {
		b.Fatal(err)
	}
	t := &tab{b, ctx, leave}
	for _, domain := range []cdp.Command[cdp.Empty, cdp.Empty]{runtime.Disable, log.Disable, network.Disable, css.Disable, dom.Disable} {
		if _, err := chromedp.Call(ctx, domain, cdp.Empty{}); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: watchScript}); err != nil {
		b.Fatal(err)
	}
	t.settle()
	return t
}

// settle waits until the browser's processes have taken no time for a while.
func (t *tab) settle() {
	t.b.Helper()
	const quiet = 300 * time.Millisecond
	pid := chromedp.FromContext(t.ctx).Browser.Process().Pid
	before := ticksOf(pid)
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		time.Sleep(quiet)
		after := ticksOf(pid)
		if after >= before && after-before <= 1 {
			return
		}
		before = after
	}
	t.b.Fatalf("the browser was busy for %s", patience)
}

// ticksOf is the processor time that a process and all below it have taken, in
// hundredths of a second.
func ticksOf(pid int) int {
	content, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	// The name of the program, in parentheses, may have spaces.
	_, rest, _ := strings.Cut(string(content), ") ")
	sum := 0
	if fields := strings.Fields(rest); len(fields) > 12 {
		user, _ := strconv.Atoi(fields[11])
		system, _ := strconv.Atoi(fields[12])
		sum = user + system
	}
	for _, child := range childrenOf(pid) {
		sum += ticksOf(child)
	}
	return sum
}

// childrenOf lists the processes that a process has started.
func childrenOf(pid int) []int {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	var children []int
	for _, list := range lists {
		content, _ := os.ReadFile(list)
		for child := range strings.FieldsSeq(string(content)) {
			if number, err := strconv.Atoi(child); err == nil {
				children = append(children, number)
			}
		}
	}
	return children
}

// watchScript defines a function in pages that records when an expression first holds, in
// milliseconds since 1970. It checks whenever the document changes and whenever a
// resource has loaded. At first the page waits for the template.
const watchScript = `globalThis.__watch = (holds) => {
	const look = () => {
		if (globalThis.__seen || !holds()) return
		globalThis.__seen = performance.timeOrigin + performance.now()
		observer.disconnect()
	}
	globalThis.__seen = 0
	const observer = new MutationObserver(look)
	observer.observe(document, { childList: true, subtree: true, characterData: true, attributes: true })
	addEventListener('load', look, true)
	look()
}
__watch(() => ` + shows + `)`

// shows is true when the template's page is there with its styles.
const shows = `document.querySelector('h1')?.textContent.length > 0 && getComputedStyle(document.body).fontFamily !== 'Times New Roman'`

// begin loads an address, and does not wait for the page's resources.
func (t *tab) begin(address string) {
	t.b.Helper()
	ctx, cancel := context.WithTimeout(t.ctx, patience)
	defer cancel()
	if _, err := chromedp.Call(ctx, page.Navigate, page.NavigateParams{URL: address}); err != nil {
		t.b.Fatalf("%s: %v", address, err)
	}
}

// watch makes the page look for an expression.
func (t *tab) watch(expression string) {
	t.b.Helper()
	t.await("(__watch(() => " + expression + "), true)")
}

// seen returns when the page found what it looks for, through reloads. It asks rarely, so
// that asking does not affect the measurement.
func (t *tab) seen() time.Time {
	t.b.Helper()
	var at float64
	for deadline := time.Now().Add(patience); at == 0 && time.Now().Before(deadline); time.Sleep(25 * time.Millisecond) {
		at, _ = evaluate[float64](t, "globalThis.__seen || 0")
	}
	if at == 0 {
		t.b.Fatalf("waited %s for what the page looks for", patience)
	}
	return time.UnixMicro(int64(at * 1000))
}

// await waits until an expression is true.
func (t *tab) await(expression string) {
	t.b.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		if is, err := evaluate[bool](t, expression); err == nil && is {
			return
		}
	}
	t.b.Fatalf("waited %s for %s", patience, expression)
}

func evaluate[T any](t *tab, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(t.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression))
}
