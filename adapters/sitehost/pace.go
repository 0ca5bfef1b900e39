package sitehost

import (
	"net/http"
	"time"
)

const (
	// writeLimit is how long a client may take to receive one piece of an answer,
	// of pieceBytes at most. One that does not read would stay for ever.
	writeLimit = 30 * time.Second
	pieceBytes = 256 << 10
)

// pacedWriter writes with a deadline for every piece.
type pacedWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	written bool
}

func newPacedWriter(w http.ResponseWriter) *pacedWriter {
	return &pacedWriter{ResponseWriter: w, control: http.NewResponseController(w)}
}

// Unwrap lets http.ResponseController reach the connection.
func (w *pacedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Write implements http.ResponseWriter.
func (w *pacedWriter) Write(data []byte) (int, error) {
	w.written = true
	sent := 0
	for {
		w.extend()
		n, err := w.ResponseWriter.Write(data[sent:min(len(data), sent+pieceBytes)])
		sent += n
		if err != nil || sent == len(data) {
			return sent, err
		}
	}
}

// finish sends what is held back, and lifts the deadline: the connection may
// serve another request, which has its own.
func (w *pacedWriter) finish() {
	if !w.written {
		return
	}
	w.extend()
	// A client that has gone has no use for an error.
	_ = w.control.Flush()
	_ = w.control.SetWriteDeadline(time.Time{})
}

// extend gives the client time for one more piece. Writers that cannot set a
// deadline, as in tests, go without.
func (w *pacedWriter) extend() { _ = w.control.SetWriteDeadline(time.Now().Add(writeLimit)) }
