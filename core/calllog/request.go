package calllog

import (
	"net/http"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// maxAnswerBytes bounds what is read of a failed answer, to find the reason.
const maxAnswerBytes = 4 << 10

// Watch lets serve answer a request for the data of a place, and logs it. It removes
// backend.UserHeader from the answer. A stream is logged when it ends.
func (l *Log) Watch(w http.ResponseWriter, r *http.Request, at backend.Place, serve func(w http.ResponseWriter)) {
	if l == nil {
		serve(WithoutUser(w))
		return
	}
	watched := &watcher{ResponseWriter: w}
	began := l.deps.Now()
	defer func() {
		call := core.BackendCall{
			Kind: core.CallRequest, CreatedAt: core.At(began), Millis: l.deps.Now().Sub(began).Milliseconds(),
			Method: r.Method, Path: ShownPath(r.URL.Path) + shownQuery(r.URL.Query()),
			Status: watched.outcome(), User: watched.user, ProjectID: at.Project, Env: at.Env,
		}
		if call.Failed() {
			call.Error = backend.RefusalText(watched.failure)
		}
		l.Add(call)
	}()
	serve(watched)
	if r.Context().Err() == nil {
		watched.begin()
	}
}

// WithoutUser returns a writer that removes backend.UserHeader from an answer.
func WithoutUser(w http.ResponseWriter) http.ResponseWriter { return &watcher{ResponseWriter: w} }

// watcher is an http.ResponseWriter that records the status of an answer and its user.
type watcher struct {
	http.ResponseWriter
	status int
	user   string
	// failure is the beginning of a failed answer's body.
	failure []byte
}

// outcome returns the status of the answer.
func (w *watcher) outcome() int {
	if w.status == 0 {
		return core.StatusClientGone
	}
	return w.status
}

// Unwrap lets http.ResponseController reach the connection.
func (w *watcher) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (w *watcher) WriteHeader(status int) {
	if user := w.Header().Get(backend.UserHeader); user != "" {
		w.user = user
		w.Header().Del(backend.UserHeader)
	}
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *watcher) Write(content []byte) (int, error) {
	w.begin()
	if w.status >= core.MinErrorStatus {
		w.failure = append(w.failure, content[:min(len(content), maxAnswerBytes-len(w.failure))]...)
	}
	return w.ResponseWriter.Write(content)
}

// FlushError sends what was written, for http.ResponseController.
func (w *watcher) FlushError() error {
	w.begin()
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// begin writes the status 200, unless there is a status.
func (w *watcher) begin() {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
}
