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

// How many of git's requests are answered at one time: each takes memory and a
// processor, and one person must take neither all of them nor those of a project that
// others work on. Those kept are for people none of whose requests is being answered.
const (
	placesInAll      = 8
	placesKept       = 4
	placesPerProject = 2
)

// Places bounds what git clients take.
type Places struct{ people, clones *fair.Semaphore }

// NewPlaces returns the places that all requests of git clients share.
func NewPlaces() *Places {
	return &Places{
		people: fair.New(fair.Bounds{Places: placesInAll, Kept: placesKept}),
		// All together are bounded by those of people.
		clones: fair.New(fair.Bounds{Places: math.MaxInt64, Most: placesPerProject}),
	}
}

// enter waits for a place for a person who works on a project, which the caller gives
// back. None within RoomWait has code core.CodeUnavailable.
func (g *Places) enter(ctx context.Context, person, project core.ID) (leave func(), err error) {
	wait, cancel := context.WithTimeout(ctx, rest.RoomWait)
	defer cancel()
	leaveProject, err := g.clones.Enter(fair.With(wait, person+" in "+project))
	if err == nil {
		var leavePerson func()
		if leavePerson, err = g.people.Enter(fair.With(wait, person)); err == nil {
			return func() { leavePerson(); leaveProject() }, nil
		}
		leaveProject()
	}
	full := core.Wrap(core.CodeUnavailable, err, "too many git clients are at work at the moment")
	full.RetryAfter = rest.RoomWait
	return nil, full
}

// serve answers a request of git's with what work writes. Who may not do this is told
// before a place is taken and a body is read.
func (g *Places) serve(w http.ResponseWriter, r *rest.Request, service *gitremote.Service, asked vcs.Service, work func(context.Context, core.ID, io.Writer) error) error {
	project, err := projectOf(r)
	if err != nil {
		return err
	}
	if err := service.Check(r.Context(), r.Actor, project, asked); err != nil {
		return err
	}
	leave, err := g.enter(r.Context(), r.Actor.UserID, project)
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

// answer begins an answer with the first byte of it, so that what goes wrong before
// has a status of its own.
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
