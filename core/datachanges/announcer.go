// Package datachanges tells the followers of a project that records of its backend changed, so
// that members who look at the data see what visitors, functions and other members do.
package datachanges

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/broadcast"
)

// Interval is the time between two notices of a place: the changes within it share one.
const Interval = 500 * time.Millisecond

// publishWithin bounds the sending of a notice.
const publishWithin = 10 * time.Second

// Announcer publishes throttled notices of changes. It may be used by many goroutines. A nil
// Announcer announces nothing.
type Announcer struct {
	bus broadcast.Bus
	log *slog.Logger

	mu sync.Mutex
	// due are the places with a notice that is due at the end of their interval.
	due map[backend.Place]bool
}

// New returns an Announcer that publishes on a bus.
func New(bus broadcast.Bus, log *slog.Logger) *Announcer {
	return &Announcer{bus: bus, log: log, due: map[backend.Place]bool{}}
}

// Answered notes that a request in PocketBase's interface was answered, whose path begins with
// /api/. It counts as a change if its method and path can change records.
func (a *Announcer) Answered(r *http.Request, at backend.Place) {
	if changes(r) {
		a.Changed(at)
	}
}

// changes reports whether a request may have changed records: those of collections, single or in
// a batch, and what becomes of a user at sign-in.
func changes(r *http.Request) bool {
	switch r.Method {
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		return strings.HasPrefix(r.URL.Path, "/api/collections/") || r.URL.Path == "/api/batch"
	}
	return false
}

// Changed notes that the records of a place changed. Nobody follows a copy.
func (a *Announcer) Changed(at backend.Place) {
	if a == nil || at.Copy != "" {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.due[at] {
		a.due[at] = true
		time.AfterFunc(Interval, func() { a.publish(at) })
	}
}

func (a *Announcer) publish(at backend.Place) {
	a.mu.Lock()
	delete(a.due, at)
	a.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), publishWithin)
	defer cancel()
	if err := a.bus.Publish(ctx, core.Notice{Kind: core.NoticeData, ProjectID: at.Project, Data: at.Env}); err != nil {
		a.log.WarnContext(ctx, "could not notify followers of changed records", "project", at.Project, "env", at.Env, "error", err)
	}
}
