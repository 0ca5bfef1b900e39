package git

import (
	"context"
	"io"
	"math"
	"net/http"
	"time"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/core/gitremote"
	"github.com/atelierhq/atelier/ports/vcs"
)

// How many of git's requests are served at the same time. Each takes memory and a
// processor, and one person must not take all of them, nor all of those of a project that
// others work on. The reserved ones are for people without a running request.
const (
	placesInAll      = 8
	placesKept       = 4
	placesPerProject = 2
)

// Semaphore bounds the requests of git clients that are served at the same time, those of
// a person and those of a person in one project.
type Semaphore struct{ people, clones *fair.Semaphore }

// NewSemaphore returns the semaphore that all requests of git clients share.
func NewSemaphore() *Semaphore {
	return &Semaphore{
		people: fair.New(fair.Bounds{Capacity: placesInAll, Reserve: placesKept}),
		// The places of people bound the total.
		clones: fair.New(fair.Bounds{Capacity: math.MaxInt64, PerTenant: placesPerProject}),
	}
}

// enter waits for a place for a person who works on a project. The caller releases it. If
// none is free within RoomWait, the error has code core.CodeUnavailable.
func (s *Semaphore) enter(ctx context.Context, person, project core.ID) (leave func(), err error) {
	wait, cancel := context.WithTimeout(ctx, rest.RoomWait)
	defer cancel()
	leaveProject, err := s.clones.Enter(fair.WithTenant(wait, person+" in "+project))
	if err == nil {
		var leavePerson func()
		if leavePerson, err = s.people.Enter(fair.WithTenant(wait, person)); err == nil {
			return func() { leavePerson(); leaveProject() }, nil
		}
		leaveProject()
	}
	full := core.Wrap(core.CodeUnavailable, err, "too many git clients are working at the moment: try again later")
	full.RetryAfter = rest.RoomWait
	return nil, full
}

// serve answers a request of git's with the output of work. It checks permissions before
// it takes a place and reads a body.
func (s *Semaphore) serve(w http.ResponseWriter, r *rest.Request, service *gitremote.Service, asked vcs.Service, work func(context.Context, core.ID, io.Writer) error) error {
	project, err := projectOf(r)
	if err != nil {
		return err
	}
	if err := service.Check(r.Context(), r.Actor, project, asked); err != nil {
		return err
	}
	leave, err := s.enter(r.Context(), r.Actor.UserID, project)
	if err != nil {
		return err
	}
	defer leave()
	ctx, cancel := context.WithTimeout(r.Context(), requestTime)
	defer cancel()
	out := &answer{w: w, to: rest.PacedWriter{ResponseWriter: w, Control: r.Control()}, kind: "application/x-" + string(asked) + "-result"}
	err = work(ctx, project, out)
	_ = r.Control().SetWriteDeadline(time.Time{})
	if err == nil {
		out.begin()
	}
	if gone := r.Context().Err(); err != nil && gone != nil {
		return gone
	}
	return err
}

// answer begins the response with its first byte, so that an earlier failure has its own
// status.
type answer struct {
	w     http.ResponseWriter
	to    io.Writer
	kind  string
	begun bool
}

func (a *answer) begin() {
	if a.begun {
		return
	}
	a.begun = true
	a.w.Header().Set("Content-Type", a.kind)
	a.w.WriteHeader(http.StatusOK)
}

// Write implements io.Writer.
func (a *answer) Write(data []byte) (int, error) {
	a.begin()
	return a.to.Write(data)
}
