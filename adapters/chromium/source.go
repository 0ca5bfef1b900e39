package chromium

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/atelierhq/atelier/core"
	port "github.com/atelierhq/atelier/ports/browser"
)

// source answers the requests of one tab: the handler serves those for its own host, all
// others are refused.
type source struct {
	pages    http.Handler
	host     string
	readOnly bool
	log      *eventLog
	// places is a semaphore of the requests that are answered at the same time.
	places chan struct{}
	pace   core.Pace
	tab    context.Context

	mu sync.Mutex
	// asked is how many requests there were.
	asked int
	// shown is the status of the last document, loads how many there were.
	shown, loads int
}

const (
	// answerLimit bounds the time for one answer, and maxAnswer its bytes.
	answerLimit = 10 * time.Second
	maxAnswer   = 32 << 20
	// streamLimit is how long a stream that a script fetches is read: what came is the answer.
	streamLimit = 3 * time.Second
	// maxAtOnce bounds the requests that are answered at the same time, maxRequests those of
	// a tab.
	maxAtOnce   = 6
	maxRequests = 5000
)

func newSource(config Config, host string, readOnly bool, log *eventLog) *source {
	return &source{pages: config.Pages, pace: config.Pace, host: host, readOnly: readOnly, log: log, places: make(chan struct{}, maxAtOnce)}
}

// open begins to answer the requests of a tab.
func (s *source) open(tab context.Context) { s.tab = tab }

// status returns the status of the document that is shown.
func (s *source) status() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown
}

// documents returns how many documents were answered.
func (s *source) documents() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.loads
}

// answer answers a request, without blocking.
func (s *source) answer(paused *fetch.EventRequestPaused) {
	may := s.mayAsk()
	go func() {
		if !may {
			s.refuse(paused)
			return
		}
		select {
		case s.places <- struct{}{}:
			defer func() { <-s.places }()
			s.respond(paused)
		case <-s.tab.Done():
		}
	}()
}

// mayAsk counts a request, and reports whether there may be one more.
func (s *source) mayAsk() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	return s.asked <= maxRequests
}

// respond answers with what the handler says, or refuses. Errors mean that the page is gone.
func (s *source) respond(paused *fetch.EventRequestPaused) {
	asked := paused.Request
	at, err := url.Parse(asked.URL)
	switch {
	case err != nil || at.Host != s.host || at.Scheme != "http" && at.Scheme != "https":
		s.log.addRequest(port.Request{Method: asked.Method, URL: asked.URL, Kind: kindOf(paused.ResourceType)})
		s.refuseForeign(paused)
		return
	case s.readOnly && asked.Method != http.MethodGet && asked.Method != http.MethodHead:
		s.refuse(paused)
		return
	case paused.ResourceType == network.ResourceTypeEventSource:
		// The script of streams does not reach workers. This ends their EventSource for good.
		s.fulfil(paused, &answer{status: http.StatusNoContent})
		return
	}
	content, complete := s.ask(asked)
	s.note(paused, at, content, complete)
	if !complete {
		s.refuse(paused)
		return
	}
	s.fulfil(paused, content)
}

// note keeps the status of documents, and requests that failed.
func (s *source) note(paused *fetch.EventRequestPaused, at *url.URL, content *answer, complete bool) {
	status := content.status
	if !complete {
		status = 0
	}
	if paused.ResourceType == network.ResourceTypeDocument && (status < 300 || status > 399) {
		s.mu.Lock()
		s.shown = status
		s.loads++
		s.mu.Unlock()
	}
	if (status >= 400 || status == 0) && at.Path != "/favicon.ico" {
		s.log.addRequest(port.Request{Method: paused.Request.Method, URL: at.RequestURI(), Kind: kindOf(paused.ResourceType), Own: true, Status: status})
	}
}

func kindOf(resource network.ResourceType) port.RequestKind {
	switch resource {
	case network.ResourceTypeDocument:
		return port.KindPage
	case network.ResourceTypeScript:
		return port.KindScript
	case network.ResourceTypeStylesheet:
		return port.KindStyle
	case network.ResourceTypeXHR, network.ResourceTypeFetch, network.ResourceTypeEventSource:
		return port.KindData
	}
	return port.KindOther
}

// refuseForeign refuses a request for another host. A page that would go there stays.
func (s *source) refuseForeign(paused *fetch.EventRequestPaused) {
	if paused.ResourceType == network.ResourceTypeDocument {
		s.fulfil(paused, &answer{status: http.StatusNoContent})
		return
	}
	s.refuse(paused)
}

func (s *source) refuse(paused *fetch.EventRequestPaused) {
	_, _ = chromedp.Call(s.tab, fetch.FailRequest, fetch.FailRequestParams{RequestID: paused.RequestID, ErrorReason: network.ErrorReasonBlockedByClient})
}

func (s *source) fulfil(paused *fetch.EventRequestPaused, content *answer) {
	_, _ = chromedp.Call(s.tab, fetch.FulfillRequest, fetch.FulfillRequestParams{
		RequestID: paused.RequestID, ResponseCode: int64(content.status), ResponseHeaders: content.headers(), Body: content.body.Bytes(),
	})
}

// ask lets the handler answer a request, and reports whether it did so in time and within
// bounds.
func (s *source) ask(wanted *network.Request) (*answer, bool) {
	content := &answer{header: make(http.Header), status: http.StatusOK}
	limit := answerLimit
	streams := strings.Contains(headerOf(wanted, "Accept"), "text/event-stream")
	if streams {
		limit = streamLimit
	}
	ctx, cancel := context.WithTimeout(s.tab, s.pace.Of(limit))
	defer cancel()
	var body bytes.Buffer
	for _, part := range wanted.PostDataEntries {
		body.Write(part.Bytes)
	}
	request, err := http.NewRequestWithContext(ctx, wanted.Method, wanted.URL, &body)
	if err != nil {
		return content, false
	}
	request.RemoteAddr = "127.0.0.1:0"
	for name, value := range wanted.Headers {
		if text, ok := value.(string); ok && !strings.HasPrefix(name, ":") {
			request.Header.Set(name, text)
		}
	}
	request.Header.Del("Accept-Encoding")
	s.pages.ServeHTTP(content, request)
	return content, (ctx.Err() == nil || streams && s.tab.Err() == nil) && !content.over
}

func headerOf(wanted *network.Request, name string) string {
	for key, value := range wanted.Headers {
		if text, ok := value.(string); ok && strings.EqualFold(key, name) {
			return text
		}
	}
	return ""
}

// answer records a handler's answer, up to a size.
type answer struct {
	header  http.Header
	status  int
	decided bool
	over    bool
	body    bytes.Buffer
}

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter. The first status counts.
func (a *answer) WriteHeader(status int) {
	if !a.decided && status >= 200 {
		a.status, a.decided = status, true
	}
}

// Write implements http.ResponseWriter.
func (a *answer) Write(content []byte) (int, error) {
	a.decided = true
	if a.body.Len()+len(content) > maxAnswer {
		a.over = true
		return 0, http.ErrContentLength
	}
	return a.body.Write(content)
}

// headers returns the answer's headers for the browser.
func (a *answer) headers() []*fetch.HeaderEntry {
	var list []*fetch.HeaderEntry
	for name, values := range a.header {
		for _, value := range values {
			list = append(list, &fetch.HeaderEntry{Name: name, Value: value})
		}
	}
	return list
}
