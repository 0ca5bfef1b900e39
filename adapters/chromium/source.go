package chromium

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// source answers the requests of one page: the handler serves those for its own host, all
// others are refused.
type source struct {
	pages http.Handler
	host  string
	tab   context.Context
}

const (
	// answerLimit bounds the time for one answer, and maxAnswer its bytes.
	answerLimit = 10 * time.Second
	maxAnswer   = 32 << 20
)

// notice is called by the loop that reads the browser's messages, so it must not block.
func (s *source) notice(event any) {
	switch e := event.(type) {
	case *fetch.EventRequestPaused:
		go s.answer(e)
	case *page.EventJavascriptDialogOpening:
		go s.call(page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: false})
	}
}

// call sends a command to the browser. Errors are ignored, because they mean that the
// page is gone.
func (s *source) call(command cdp.Command[page.HandleJavaScriptDialogParams, cdp.Empty], params page.HandleJavaScriptDialogParams) {
	_, _ = chromedp.Call(s.tab, command, params)
}

func (s *source) answer(paused *fetch.EventRequestPaused) {
	content, own := s.ask(paused.Request)
	if !own {
		_, _ = chromedp.Call(s.tab, fetch.FailRequest, fetch.FailRequestParams{RequestID: paused.RequestID, ErrorReason: network.ErrorReasonBlockedByClient})
		return
	}
	_, _ = chromedp.Call(s.tab, fetch.FulfillRequest, fetch.FulfillRequestParams{
		RequestID: paused.RequestID, ResponseCode: int64(content.status), ResponseHeaders: content.headers(), Body: content.body.Bytes(),
	})
}

// ask lets the handler answer a request for the page's own host. Event streams are
// refused, because they never end.
func (s *source) ask(wanted *network.Request) (*answer, bool) {
	at, err := url.Parse(wanted.URL)
	if err != nil || at.Host != s.host || at.Scheme != "http" && at.Scheme != "https" {
		return nil, false
	}
	if wanted.Method != http.MethodGet && wanted.Method != http.MethodHead || strings.Contains(headerOf(wanted, "Accept"), "text/event-stream") {
		return nil, false
	}
	ctx, cancel := context.WithTimeout(s.tab, answerLimit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, wanted.Method, wanted.URL, nil)
	if err != nil {
		return nil, false
	}
	request.RemoteAddr = "127.0.0.1:0"
	request.Header.Set("Accept", headerOf(wanted, "Accept"))
	content := &answer{header: make(http.Header), status: http.StatusOK}
	s.pages.ServeHTTP(content, request)
	return content, ctx.Err() == nil && !content.over
}

func headerOf(wanted *network.Request, name string) string {
	value, _ := wanted.Headers[name].(string)
	return value
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
	if !a.decided {
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

// headers returns the response headers that a page needs.
func (a *answer) headers() []*fetch.HeaderEntry {
	var list []*fetch.HeaderEntry
	for name, values := range a.header {
		for _, value := range values {
			list = append(list, &fetch.HeaderEntry{Name: name, Value: value})
		}
	}
	return list
}
