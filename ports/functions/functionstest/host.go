package functionstest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/functions"
)

// host answers with what it was asked, and keeps what it was sent.
type host struct {
	fault error
	// block keeps a fetch waiting; reached is called before.
	block   chan struct{}
	reached func()

	mu    sync.Mutex
	mails []string
}

// Fetch implements functions.Host.
func (h *host) Fetch(ctx context.Context, r functions.Request) (functions.Response, error) {
	if h.reached != nil {
		h.reached()
	}
	if h.block != nil {
		select {
		case <-h.block:
		case <-ctx.Done():
			return functions.Response{}, ctx.Err()
		}
	}
	if h.fault != nil {
		return functions.Response{}, h.fault
	}
	return functions.Response{
		Status: http.StatusAccepted, Header: http.Header{"X-Seen": {r.Header.Get("X-Sent")}},
		Body: fmt.Appendf(nil, "%s %s %s", r.Method, r.URL, r.Body),
	}, nil
}

// Data implements functions.Host.
func (h *host) Data(_ context.Context, r functions.Request, admin bool) (functions.Response, error) {
	if strings.Contains(r.URL, "missing") {
		return functions.Response{Status: http.StatusNotFound, Body: []byte(`{"message":"no such record"}`)}, nil
	}
	return functions.Response{Status: http.StatusOK, Body: fmt.Appendf(nil, `{"asked":"%s %s %t"}`, r.Method, r.URL, admin)}, nil
}

// Mail implements functions.Host.
func (h *host) Mail(_ context.Context, to, subject, text string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.mails = append(h.mails, to+"|"+subject+"|"+text)
	return nil
}

// AI implements functions.Host.
func (h *host) AI(_ context.Context, prompt string, options functions.AIOptions) (string, error) {
	return fmt.Sprintf("%s, says %s in %d", prompt, options.System, options.MaxTokens), nil
}

func fetches(t *testing.T, s *suite) {
	want(t, s.answer(t, "fetch", nil, &host{}), "202 sent POST https://api.example.com/v1 hello")
}

func hostFails(t *testing.T, s *suite) {
	refused := &host{fault: core.Errorf(core.CodeForbidden, "example.com is not among the allowed hosts")}
	want(t, s.answer(t, "catches", nil, refused), "example.com is not among the allowed hosts")
	broken := &host{fault: errors.New("dial 10.0.0.7: secret")}
	want(t, s.answer(t, "catches", nil, broken), "internal error")
}

func asksForRecords(t *testing.T, s *suite) {
	want(t, s.answer(t, "records", nil, &host{}), "GET /api/collections/notes/records/n1 false, GET /api/collections/notes/records/n1 true, 404")
}

func mailsAndPrompts(t *testing.T, s *suite) {
	h := &host{}
	want(t, s.answer(t, "posts", nil, h), "Hello, says be brief in 7")
	if len(h.mails) != 1 || h.mails[0] != "ada@example.com|Hi|Text" {
		t.Errorf("got the mails %q", h.mails)
	}
}

func apart(t *testing.T, s *suite) {
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			body := strings.Repeat(fmt.Sprint(i%10), 1000)
			got := s.answer(t, "bytes", func(c *functions.Call) { c.Request.Body = []byte(body) }, nil)
			want(t, got, body)
		})
	}
	all.Wait()
}
