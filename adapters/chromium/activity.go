package chromium

import (
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
	requests   map[network.RequestID]struct{}
	last       time.Time
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
		a.begin(e.RequestID)
	case *network.EventResponseReceived:
		// An answer comes whole. A page that does not read it never finishes loading it.
		a.end(e.RequestID)
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

func (a *activity) begin(id network.RequestID) {
	if a.requests == nil {
		a.requests = map[network.RequestID]struct{}{}
	}
	if len(a.requests) < maxFollowed {
		a.requests[id] = struct{}{}
	}
}

func (a *activity) end(id network.RequestID) {
	delete(a.requests, id)
	a.last = time.Now()
}

// idle returns for how long nothing was under way.
func (a *activity) idle() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.navigating || len(a.requests) > 0 {
		return 0
	}
	return time.Since(a.last)
}

// beginStream and endStream are begin and end for streams, which the browser does not report.
func (a *activity) beginStream(id network.RequestID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.begin(id)
}

func (a *activity) endStream(id network.RequestID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.end(id)
}
