package browser

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/atelierhq/atelier/ports/conformance"
)

// chromium is a browser that all tests share. Names below studio.test lead to this
// machine, as those below localhost do by themselves.
type chromium struct{ ctx context.Context }

// startChromium starts a browser with an empty profile.
func startChromium(t *testing.T) *chromium {
	t.Helper()
	// Chromium without a window's own pages, which would take longer than the tests'.
	program, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		t.Fatal("chromium-headless-shell is not installed: run `make test`, which installs what the tests need")
	}
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(program), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck,
		chromedp.Flag("host-resolver-rules", "MAP studio.test 127.0.0.1,MAP *.studio.test 127.0.0.1"),
		chromedp.Flag("force-color-profile", "srgb"),
		// Pages live for seconds: optimizing their scripts takes more time than it saves.
		chromedp.Flag("js-flags", "--no-opt --no-maglev"),
	}
	for _, flag := range []string{
		"disable-quic", "disable-background-networking", "disable-component-update", "disable-sync", "disable-dev-shm-usage",
		"disable-background-timer-throttling", "disable-renderer-backgrounding", "disable-extensions", "hide-scrollbars", "no-proxy-server",
		// Pages of another site run in a separate process, as in people's browsers.
		"site-per-process",
	} {
		options = append(options, chromedp.Flag(flag, true))
	}
	allocator, release := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(release)
	ctx, stop := chromedp.NewContext(allocator)
	t.Cleanup(stop)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("chromium does not start: %v", err)
	}
	return &chromium{ctx}
}

// tab is a page in the browser. It records the page's console messages and failed
// requests.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	problems []string
	// requests numbers the page's requests. pardons is, for each status, the number of the
	// last request that may be answered with it.
	requests map[network.RequestID]int
	pardons  map[int]int
}

func newTab(t *testing.T) *tab {
	return &tab{t: t, requests: map[network.RequestID]int{}, pardons: map[int]int{}}
}

// open opens a tab that shares cookies and storage with no other.
func (c *chromium) open(t *testing.T) *tab {
	t.Helper()
	ctx, leave := chromedp.NewContext(c.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(leave)
	p := newTab(t)
	p.ctx = ctx
	if err := chromedp.Listen(ctx, p.notice); err != nil {
		t.Fatal(err)
	}
	// Each tab has the focus, as if it were the only one.
	send(p, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	return p
}

func (p *tab) notice(event any) {
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			p.note("console", said(e.Args), "")
		}
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text += " " + e.ExceptionDetails.Exception.Description
		}
		p.note("exception", text, "")
	case *network.EventRequestWillBeSent:
		p.mu.Lock()
		defer p.mu.Unlock()
		if _, known := p.requests[e.RequestID]; !known { // a redirect goes on with its request
			p.requests[e.RequestID] = len(p.requests) + 1
		}
	case *cdplog.EventEntryAdded:
		// Chrome reports slow pages, which on a busy machine says nothing about the page.
		isLate := strings.Contains(e.Entry.Text, "preloaded using link preload but not used within a few seconds")
		if e.Entry.Level == cdplog.EntryLevelError || e.Entry.Level == cdplog.EntryLevelWarning && !isLate {
			p.note("browser", e.Entry.Text+" "+e.Entry.URL, e.Entry.NetworkRequestID)
		}
	case *network.EventResponseReceived:
		if e.Response.Status >= 400 {
			p.note("answer", fmt.Sprintf("%d %s", e.Response.Status, e.Response.URL), e.RequestID)
		}
	case *network.EventLoadingFailed:
		// A page that goes takes its event stream along.
		if !e.Canceled {
			p.note("request", e.ErrorText+" "+string(e.Type), e.RequestID)
		}
	}
}

func said(values []*runtime.RemoteObject) string {
	var words []string
	for _, value := range values {
		words = append(words, strings.Trim(string(value.Value), `"`)+value.Description)
	}
	return strings.Join(words, " ")
}

func (p *tab) note(kind, text string, request network.RequestID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	problem := kind + ": " + text
	for status, last := range p.pardons {
		if number := p.requests[request]; number > 0 && number <= last && answers(problem, status) {
			return
		}
	}
	p.problems = append(p.problems, problem)
}

// pardon forgets answers of a status to what the page has asked so far, which the story
// provoked: those that came, and those that are still on their way.
func (p *tab) pardon(status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pardons[status] = len(p.requests)
	p.problems = slices.DeleteFunc(p.problems, func(problem string) bool { return answers(problem, status) })
}

// answers reports whether a problem is an answer of a status.
func answers(problem string, status int) bool {
	return strings.HasPrefix(problem, fmt.Sprintf("answer: %d ", status)) ||
		strings.Contains(problem, fmt.Sprintf("responded with a status of %d ", status))
}

// wantQuiet checks that the page had no problem.
func (p *tab) wantQuiet() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.problems) > 0 {
		p.t.Errorf("got problems in the page, want none:\n%s", strings.Join(slices.Clone(p.problems), "\n"))
	}
}

// do lets the tab act.
func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	run(p, chromedp.Steps(steps...))
}

// run performs actions in the tab and returns the error.
func run[T any](p *tab, action chromedp.Action[T]) T {
	p.t.Helper()
	value, err := try(p, action)
	if err != nil {
		p.t.Fatal(err)
	}
	return value
}

// try performs actions in the tab, which may fail.
func try[T any](p *tab, action chromedp.Action[T]) (T, error) {
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	defer context.AfterFunc(conformance.Bounded(p.t), cancel)()
	return chromedp.Run(ctx, action)
}

// send sends the tab a command of the DevTools protocol.
func send[P, R any](p *tab, command cdp.Command[P, R], params P) R {
	p.t.Helper()
	return run(p, func(ctx context.Context, target *chromedp.Target) (R, error) {
		return cdp.Call(ctx, target, command, params)
	})
}

// visit loads an address and waits until its fonts and images are there.
func (p *tab) visit(address string) {
	p.t.Helper()
	p.do(chromedp.Navigate(address))
}

// click presses the mouse on the first element of a CSS selector.
func (p *tab) click(selector string) {
	p.t.Helper()
	p.do(chromedp.Click(chromedp.CSS(selector)))
}

// enter types a text and the return key into a field.
func (p *tab) enter(selector, text string) {
	p.t.Helper()
	p.do(chromedp.SendKeys(chromedp.CSS(selector), text+"\r"))
}

// until waits for a JavaScript expression to become true, through reloads.
func (p *tab) until(what, expression string) {
	p.t.Helper()
	p.wait(what+": "+expression, func() bool {
		// A page that is on its way has nothing to evaluate in.
		is, err := try(p, chromedp.Evaluate[bool](expression))
		return err == nil && is
	})
}

// wait is conformance.Eventually, and says what the page shows.
func (p *tab) wait(what string, is func() bool) {
	p.t.Helper()
	if !conformance.Becomes(is) {
		p.t.Fatalf("waited %s for %s; the page is %s", conformance.Patience, what, p.text())
	}
}

// wantHeading waits for the page's heading.
func (p *tab) wantHeading(text string) {
	p.t.Helper()
	p.until("the heading", fmt.Sprintf("document.querySelector('h1')?.textContent === %q", text))
}

// text is what the page shows.
func (p *tab) text() string {
	p.t.Helper()
	return evaluate[string](p, "document.body?.innerText ?? ''")
}

// evaluate returns the value of an expression, or of the promise that it is.
func evaluate[T any](p *tab, expression string) T {
	p.t.Helper()
	return run(p, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// show sets the size of the window and the colour scheme, and keeps animations
// still.
func (p *tab) show(width, height int64, scheme string) {
	p.t.Helper()
	p.do(chromedp.EmulateViewport(width, height))
	send(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
}
