package chromium

import (
	"context"
	_ "embed"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/atelierhq/atelier/core/ctxsync"
)

// world is the isolated JavaScript world in which the adapter's own scripts run: they see
// the page's elements, and the page cannot change what they call.
type world struct {
	frame cdp.FrameID

	mu sync.Mutex
	id runtime.ExecutionContextID
	// unique distinguishes the world of a page from that of the page before.
	unique string
}

const worldName = "atelier"

// watchScript runs in the world of each page, before the page's scripts. It notes when the
// page last changed, and wakes waiting scripts. Animations by style attributes do not count.
const watchScript = `globalThis.changed = performance.now();
new MutationObserver(() => { globalThis.changed = performance.now(); globalThis.waiting?.() }).observe(document, {
	subtree: true, childList: true, characterData: true,
	attributes: true, attributeFilter: ["class", "hidden", "disabled", "open", "value", "checked", "src", "href", "role", "aria-expanded", "aria-hidden", "aria-selected", "aria-checked", "aria-disabled", "aria-busy"],
})`

// underWayScript runs among the page's scripts, before them. It tracks their asynchronous work.
//
//go:embed web/underway.js
var underWayScript string

// underWayCall asks whether asynchronous work can change a page within milliseconds.
const underWayCall = `__atelierUnderWay(%d)`

// pageScript runs among the page's scripts, before them. A page in the cage has no service
// worker, so it may not look as if it could.
const pageScript = `delete Navigator.prototype.serviceWorker;`

// storeScript puts entries into the page's local storage, once.
func storeScript(entries map[string]string) (string, error) {
	if len(entries) == 0 {
		return "", nil
	}
	written, err := json.Marshal(entries)
	if err != nil {
		return "", err
	}
	return `if (window === window.top && !sessionStorage.getItem("atelier")) {
	sessionStorage.setItem("atelier", "1");
	for (const [key, value] of Object.entries(` + string(written) + `)) localStorage.setItem(key, value);
}`, nil
}

// install adds the scripts to every page of a tab.
func (w *world) install(ctx context.Context, entries map[string]string) error {
	store, err := storeScript(entries)
	if err != nil {
		return err
	}
	for _, script := range []page.AddScriptToEvaluateOnNewDocumentParams{
		{Source: watchScript, WorldName: worldName}, {Source: underWayScript}, {Source: pageScript}, {Source: streamScript}, {Source: store},
	} {
		if script.Source == "" {
			continue
		}
		if _, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, script); err != nil {
			return err
		}
	}
	return nil
}

// notice follows which world is that of the page.
func (w *world) notice(event any) {
	switch e := event.(type) {
	case *runtime.EventExecutionContextCreated:
		if e.Context.Name == worldName && w.isMain(e.Context.AuxData) {
			w.set(e.Context.ID, e.Context.UniqueID)
		}
	case *runtime.EventExecutionContextDestroyed:
		w.mu.Lock()
		if w.unique == e.ExecutionContextUniqueID {
			w.id, w.unique = 0, ""
		}
		w.mu.Unlock()
	case *runtime.EventExecutionContextsCleared:
		w.set(0, "")
	}
}

func (w *world) isMain(about []byte) bool {
	var known struct {
		FrameID cdp.FrameID `json:"frameId"`
	}
	return json.Unmarshal(about, &known) == nil && known.FrameID == w.frame
}

func (w *world) set(id runtime.ExecutionContextID, unique string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.id, w.unique = id, unique
}

func (w *world) current() runtime.ExecutionContextID {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.id
}

// between is how long a page may be without a world while it navigates, before the next
// look.
const between = 5 * time.Millisecond

// evaluate evaluates an expression in the world of a page. It waits for the page that is
// being loaded.
func evaluate[T any](ctx context.Context, w *world, expression string, options ...chromedp.EvaluateOption) (T, error) {
	for {
		if id := w.current(); id != 0 {
			found, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, append(options, func(p *runtime.EvaluateParams) { p.ContextID = id })...))
			if err == nil || !isNavigation(err) {
				return found, err
			}
		}
		if err := ctxsync.Sleep(ctx, between); err != nil {
			var none T
			return none, err
		}
	}
}

// isNavigation reports whether a call failed because its world went away.
func isNavigation(err error) bool {
	said := err.Error()
	return strings.Contains(said, "Cannot find context") || strings.Contains(said, "context was destroyed") || strings.Contains(said, "Inspected target navigated") || strings.Contains(said, "uniqueContextId not found")
}

// call calls a function whose this is an element, in the world that the element was resolved in.
func call[T any](ctx context.Context, element runtime.RemoteObjectID, function string, args ...any) (T, error) {
	return chromedp.Run(ctx, chromedp.CallFunctionOn[T](function, func(p *runtime.CallFunctionOnParams) {
		p.ObjectID, p.ObjectGroup = element, worldName
		p.UserGesture = new(bool)
		*p.UserGesture = true
	}, args...))
}
