package sse

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
)

// halfWriter takes half of one frame and then works again.
type halfWriter struct {
	http.ResponseWriter
	broken bool
}

func (w *halfWriter) Write(frame []byte) (int, error) {
	if w.broken {
		w.broken = false
		n, _ := w.ResponseWriter.Write(frame[:len(frame)/2])
		return n, io.ErrShortWrite
	}
	return w.ResponseWriter.Write(frame)
}

func (w *halfWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func TestNothingFollowsHalfAnEvent(t *testing.T) {
	recorder := httptest.NewRecorder()
	w := &halfWriter{ResponseWriter: recorder}
	stream, ctx := Open(w, &rest.Request{Request: httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)})
	defer stream.Close()
	w.broken = true
	first, second := stream.Send(1, "first"), stream.Send(2, "second")
	if !errors.Is(first, io.ErrShortWrite) || !errors.Is(second, io.ErrShortWrite) || ctx.Err() == nil {
		t.Errorf("got %v, %v and the context %v, want both to fail and the stream ended", first, second, ctx.Err())
	}
	if body := recorder.Body.String(); strings.Contains(body, "second") {
		t.Errorf("got %q, want nothing behind the half", body)
	}
}
