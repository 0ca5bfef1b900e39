package sitehost

import (
	"net/http"
	"time"
)

const (
	// writeLimit is how long a client may take to receive one piece of an answer, of at
	// most pieceBytes. Without it a client that does not read would stay forever.
	writeLimit = 30 * time.Second
	pieceBytes = 256 << 10
	// extendEvery is how often the deadline is renewed at most.
	extendEvery = time.Second
)

// pacedWriter is an http.ResponseWriter with a deadline for every piece. net/http sends
// the last piece after the handler has returned. The deadline stays with the connection:
// the next request on it sets another, or none.
type pacedWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	// again is when the deadline is renewed.
	again time.Time
}

func newPacedWriter(w http.ResponseWriter) *pacedWriter {
	paced := &pacedWriter{ResponseWriter: w, control: http.NewResponseController(w)}
	paced.extend()
	return paced
}

// Unwrap lets http.ResponseController reach the connection.
func (w *pacedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Write implements http.ResponseWriter.
func (w *pacedWriter) Write(data []byte) (int, error) {
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

// extend gives the client time for one more piece. It does nothing for writers without
// deadlines, as in tests.
func (w *pacedWriter) extend() {
	now := time.Now()
	if now.Before(w.again) {
		return
	}
	w.again = now.Add(extendEvery)
	_ = w.control.SetWriteDeadline(now.Add(writeLimit + extendEvery))
}
