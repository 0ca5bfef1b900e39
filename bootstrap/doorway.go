package bootstrap

import (
	"net/http"
	"sync/atomic"
)

// Doorway is a placeholder for the handler of sites and previews: the browser needs the
// handler before it exists. Until it is open it answers 503.
type Doorway struct{ handler atomic.Pointer[http.Handler] }

// NewDoorway returns a closed one.
func NewDoorway() *Doorway { return &Doorway{} }

// Open passes requests to a handler from now on.
func (d *Doorway) Open(handler http.Handler) { d.handler.Store(&handler) }

// ServeHTTP implements http.Handler.
func (d *Doorway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	handler := d.handler.Load()
	if handler == nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	(*handler).ServeHTTP(w, r)
}
