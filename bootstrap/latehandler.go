package bootstrap

import (
	"net/http"
	"sync/atomic"
)

// LateHandler is an http.Handler whose target is set after it was passed on: the browser needs
// the handler of sites and previews before that exists. Until then it answers 503.
type LateHandler struct{ handler atomic.Pointer[http.Handler] }

// NewLateHandler returns a handler without a target.
func NewLateHandler() *LateHandler { return &LateHandler{} }

// Set makes handler the target of all later requests.
func (d *LateHandler) Set(handler http.Handler) { d.handler.Store(&handler) }

// ServeHTTP implements http.Handler.
func (d *LateHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	handler := d.handler.Load()
	if handler == nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	(*handler).ServeHTTP(w, r)
}
