package chromium

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	port "github.com/atelierhq/atelier/ports/browser"
)

// streamScript gives pages an EventSource that asks this process.
//
//go:embed web/eventsource.js
var streamScript string

// askStream is the function through which a page asks, takeStream the one that takes events.
const (
	askStream  = "__atelierAskStream"
	takeStream = "__atelierTakeStream"
)

// Bounds of streams of events.
const (
	maxStreams = 6
	maxEvent   = 1 << 20
	// retryTime is when a page asks again after a stream has ended, unless the stream says so.
	retryTime = 3 * time.Second
)

// streams answer the EventSource objects of a tab's pages. The browser has no way to pass an
// answer on in pieces, so each event is handed to the page by a call.
type streams struct {
	source   *source
	activity *activity

	mu sync.Mutex
	// running are the streams by the page that they belong to.
	running map[pageName]map[int]context.CancelFunc
	// pages are the open pages, by the numbers that the browser gives when it reports their calls.
	pages map[runtime.ExecutionContextID]pageName
}

// pageName is the unique name of a page's execution context. Its number is not unique: a context of
// another process may have it, whose end the browser reports later.
type pageName string

// streamCall is a call of askStream. It is untrusted input: the page writes it.
type streamCall struct {
	Open        int    `json:"open"`
	Close       int    `json:"close"`
	URL         string `json:"url"`
	LastEventID string `json:"lastEventId"`
}

// streamStep is one message about a stream to a page: that it is open, an event, or its end, with
// the milliseconds after which to ask again, 0 for never.
type streamStep struct {
	Open  bool   `json:"open,omitempty"`
	Ended bool   `json:"ended,omitempty"`
	Again int64  `json:"again,omitempty"`
	Type  string `json:"type,omitempty"`
	Data  string `json:"data"`
	ID    string `json:"id"`
}

// notice follows what pages ask, without blocking.
func (s *streams) notice(event any) {
	switch e := event.(type) {
	case *runtime.EventBindingCalled:
		var asked streamCall
		if e.Name != askStream || json.Unmarshal([]byte(e.Payload), &asked) != nil {
			return
		}
		page, found := s.page(e.ExecutionContextID)
		switch {
		case !found:
		case asked.Open > 0 && s.source.mayAsk():
			s.open(page, asked)
		default:
			s.end(page, asked.Close)
		}
	case *runtime.EventExecutionContextCreated:
		s.enter(pageName(e.Context.UniqueID), e.Context.ID)
	case *runtime.EventExecutionContextDestroyed:
		s.leave(pageName(e.ExecutionContextUniqueID))
	case *runtime.EventExecutionContextsCleared:
		s.leave("")
	}
}

func (s *streams) open(page pageName, asked streamCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil {
		s.running = map[pageName]map[int]context.CancelFunc{}
	}
	count := 0
	for _, all := range s.running {
		count += len(all)
	}
	if s.running[page] == nil {
		s.running[page] = map[int]context.CancelFunc{}
	}
	if count >= maxStreams || s.running[page][asked.Open] != nil {
		go func() { _ = s.tell(s.source.tab, page, asked.Open, streamStep{Ended: true}) }()
		return
	}
	ctx, cancel := context.WithCancel(s.source.tab)
	s.running[page][asked.Open] = cancel
	name := network.RequestID(fmt.Sprintf("stream %s %d", page, asked.Open))
	s.activity.beginStream(name)
	go func() {
		again := s.play(ctx, page, asked, func() { s.activity.endStream(name) })
		s.activity.endStream(name)
		ended := ctx.Err() != nil
		s.end(page, asked.Open)
		if !ended {
			_ = s.tell(s.source.tab, page, asked.Open, streamStep{Ended: true, Again: again.Milliseconds()})
		}
	}()
}

// any reports whether there is a stream.
func (s *streams) any() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, all := range s.running {
		if len(all) > 0 {
			return true
		}
	}
	return false
}

// end ends a stream.
func (s *streams) end(page pageName, id int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.running[page][id]; cancel != nil {
		cancel()
		delete(s.running[page], id)
	}
}

// enter notes a page.
func (s *streams) enter(page pageName, number runtime.ExecutionContextID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pages == nil {
		s.pages = map[runtime.ExecutionContextID]pageName{}
	}
	s.pages[number] = page
}

func (s *streams) page(number runtime.ExecutionContextID) (pageName, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	page, found := s.pages[number]
	return page, found
}

// leave ends the streams of a page that is gone, or of all pages if it has no name.
func (s *streams) leave(gone pageName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.pages, func(_ runtime.ExecutionContextID, page pageName) bool { return gone == "" || page == gone })
	maps.DeleteFunc(s.running, func(page pageName, all map[int]context.CancelFunc) bool {
		if gone != "" && page != gone {
			return false
		}
		for _, cancel := range all {
			cancel()
		}
		return true
	})
}

// tell hands a step to the page. An error means that the page is gone.
func (s *streams) tell(ctx context.Context, page pageName, id int, step streamStep) error {
	text, err := json.Marshal(step)
	if err != nil {
		return err
	}
	answered, err := chromedp.Call(ctx, runtime.Evaluate, runtime.EvaluateParams{
		Expression: takeStream + "(" + strconv.Itoa(id) + ", " + string(text) + ")", UniqueContextID: string(page),
	})
	if err == nil && answered.ExceptionDetails != nil {
		err = errors.New("the page does not take events")
	}
	return err
}

// play passes the events of a stream on, and returns after which time the page may ask again, 0 if
// it may not.
func (s *streams) play(ctx context.Context, page pageName, asked streamCall, opened func()) time.Duration {
	at, err := url.Parse(asked.URL)
	if err != nil || at.Host != s.source.host || at.Scheme != "http" && at.Scheme != "https" {
		s.source.log.addRequest(port.Request{Method: http.MethodGet, URL: asked.URL, Kind: port.KindData})
		return 0
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil || s.source.readOnly {
		return 0
	}
	request.RemoteAddr = "127.0.0.1:0"
	request.Header.Set("Accept", "text/event-stream")
	if asked.LastEventID != "" {
		request.Header.Set("Last-Event-ID", asked.LastEventID)
	}
	answer := newPipedAnswer()
	go func() {
		defer answer.finish()
		// A handler may give up by a panic, as in a server.
		defer func() { _ = recover() }()
		s.source.pages.ServeHTTP(answer, request)
	}()
	defer answer.abandon()
	select {
	case <-answer.decided:
	case <-ctx.Done():
		return 0
	}
	kind, _, _ := mime.ParseMediaType(answer.sent.Get("Content-Type"))
	if answer.status != http.StatusOK || kind != "text/event-stream" {
		if answer.status >= http.StatusBadRequest {
			s.source.log.addRequest(port.Request{Method: http.MethodGet, URL: at.RequestURI(), Kind: port.KindData, Own: true, Status: answer.status})
		}
		return 0
	}
	if s.tell(ctx, page, asked.Open, streamStep{Open: true}) != nil {
		return 0
	}
	opened()
	events := eventReader{lines: bufio.NewReaderSize(answer.body, 4<<10), last: asked.LastEventID, retry: retryTime}
	for {
		event, err := events.next()
		if err != nil {
			return events.retry
		}
		if s.tell(ctx, page, asked.Open, event) != nil {
			return 0
		}
	}
}
