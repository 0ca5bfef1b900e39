package backend

import (
	"bytes"
	"net/http"
)

// Recorder is an http.ResponseWriter that keeps the beginning of a response in memory, for callers of
// Engine.Serve that read the response themselves. One goroutine uses it.
type Recorder struct {
	// Cut says that the response has more bytes than are kept.
	Cut bool

	limit  int
	header http.Header
	status int
	body   bytes.Buffer
}

// NewRecorder returns a Recorder that keeps up to limit bytes of the response's body.
func NewRecorder(limit int) *Recorder { return &Recorder{limit: limit, header: make(http.Header)} }

// Status returns the response's status, which is 200 unless the engine set another.
func (r *Recorder) Status() int { return max(r.status, http.StatusOK) }

// Body returns what was kept of the response's body.
func (r *Recorder) Body() []byte { return r.body.Bytes() }

// Header implements http.ResponseWriter.
func (r *Recorder) Header() http.Header { return r.header }

// WriteHeader implements http.ResponseWriter.
func (r *Recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
}

// Write implements http.ResponseWriter. It never fails.
func (r *Recorder) Write(content []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	kept := min(len(content), r.limit-r.body.Len())
	r.Cut = r.Cut || kept < len(content)
	r.body.Write(content[:kept])
	return len(content), nil
}
