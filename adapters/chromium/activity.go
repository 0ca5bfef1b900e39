package chromium

import (
	"maps"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
)

// activity tracks the navigation and the requests of a page. The browser reports both before it
// answers a later call, so a page that is idle after a call was idle during it.
type activity struct {
	mu         sync.Mutex
	navigating bool
	requests   map[network.RequestID]*request
	last       time.Time
	// incomplete means that not all activity of the page is tracked: it has frames, or too many
	// requests.
	incomplete bool
}

// request is what is known of a request that has not ended.
type request struct {
	loader cdp.LoaderID
	// answered means that only the page's reading of the answer is left.
	answered bool
}

// maxFollowed bounds the requests that are followed at the same time.
const maxFollowed = 1000

// notice follows the events of a tab whose main frame is given.
func (a *activity) notice(event any, main cdp.FrameID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch e := event.(type) {
	case *page.EventFrameStartedLoading:
		a.navigate(e.FrameID == main, true)
	case *page.EventFrameRequestedNavigation:
		a.navigate(e.FrameID == main && e.Disposition == page.ClientNavigationDispositionCurrentTab, true)
	case *page.EventFrameStoppedLoading:
		a.navigate(e.FrameID == main, false)
	case *network.EventRequestWillBeSent:
		a.begin(e.RequestID, e.LoaderID)
	case *network.EventResponseReceived:
		a.answer(e.RequestID)
	case *page.EventFrameAttached:
		a.incomplete = true
	case *page.EventFrameNavigated:
		if e.Frame.ID == main {
			a.show(e.Frame.LoaderID)
		}
	case *network.EventLoadingFinished:
		a.end(e.RequestID)
	case *network.EventLoadingFailed:
		a.end(e.RequestID)
	}
}

func (a *activity) navigate(main, begins bool) {
	if main {
		a.navigating, a.last = begins, time.Now()
	}
}

// show forgets what the pages before had under way.
func (a *activity) show(loader cdp.LoaderID) {
	a.incomplete = false
	maps.DeleteFunc(a.requests, func(_ network.RequestID, one *request) bool { return one.loader != loader })
}

func (a *activity) begin(id network.RequestID, loader cdp.LoaderID) {
	if a.requests == nil {
		a.requests = map[network.RequestID]*request{}
	}
	if len(a.requests) >= maxFollowed {
		a.incomplete = true
		return
	}
	a.requests[id] = &request{loader: loader}
}

// answer notes that an answer has come, which comes whole. A page that does not read it never
// finishes loading it.
func (a *activity) answer(id network.RequestID) {
	if one := a.requests[id]; one != nil {
		one.answered = true
	}
	a.last = time.Now()
}

func (a *activity) end(id network.RequestID) {
	delete(a.requests, id)
	a.last = time.Now()
}

// idle returns for how long no navigation was under way, and no request without an answer.
func (a *activity) idle() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.navigating {
		return 0
	}
	for _, one := range a.requests {
		if !one.answered {
			return 0
		}
	}
	return time.Since(a.last)
}

// still returns for how long nothing was under way, 0 if something is, or may be.
func (a *activity) still() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.navigating || a.incomplete || len(a.requests) > 0 {
		return 0
	}
	return time.Since(a.last)
}

// beginStream and endStream are begin and end for streams, which the browser does not report.
func (a *activity) beginStream(id network.RequestID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.begin(id, "")
}

func (a *activity) endStream(id network.RequestID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.end(id)
}
