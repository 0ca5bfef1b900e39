package httpapi

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/gitremote"
	"github.com/atelierhq/atelier/ports/vcs"
)

// How many of git's requests are answered at one time: each takes memory and a
// processor, and one project must not take all of them.
const (
	gitPlacesInAll      = 8
	gitPlacesPerProject = 2
)

// gitPlaces bounds what git clients take.
type gitPlaces struct {
	all *semaphore.Weighted

	mu       sync.Mutex
	projects map[core.ID]*gitPlace
}

// gitPlace is the places of one project, and how many ask for one.
type gitPlace struct {
	*semaphore.Weighted
	asking int
}

func newGitPlaces() *gitPlaces {
	return &gitPlaces{all: semaphore.NewWeighted(gitPlacesInAll), projects: map[core.ID]*gitPlace{}}
}

// enter waits for a place, which the caller gives back. None within roomWait has code
// core.CodeUnavailable.
func (g *gitPlaces) enter(ctx context.Context, project core.ID) (leave func(), err error) {
	wait, cancel := context.WithTimeout(ctx, roomWait)
	defer cancel()
	place := g.ask(project)
	err = place.Acquire(wait, 1)
	if err == nil {
		if err = g.all.Acquire(wait, 1); err != nil {
			place.Release(1)
		}
	}
	if err != nil {
		g.forget(project, place)
		full := core.Wrap(core.CodeUnavailable, err, "too many git clients are at work at the moment")
		full.RetryAfter = roomWait
		return nil, full
	}
	return func() {
		g.all.Release(1)
		place.Release(1)
		g.forget(project, place)
	}, nil
}

func (g *gitPlaces) ask(project core.ID) *gitPlace {
	g.mu.Lock()
	defer g.mu.Unlock()
	place := g.projects[project]
	if place == nil {
		place = &gitPlace{Weighted: semaphore.NewWeighted(gitPlacesPerProject)}
		g.projects[project] = place
	}
	place.asking++
	return place
}

func (g *gitPlaces) forget(project core.ID, place *gitPlace) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if place.asking--; place.asking == 0 {
		delete(g.projects, project)
	}
}

// serve answers a request of git's with what work writes. Who may not do this is told
// before a place is taken and a body is read.
func (g *gitPlaces) serve(w http.ResponseWriter, r *Request, service *gitremote.Service, asked vcs.Service, work func(context.Context, core.ID, io.Writer) error) error {
	project, err := gitProject(r)
	if err != nil {
		return err
	}
	if err := service.Check(r.Context(), r.Actor, project, asked); err != nil {
		return err
	}
	leave, err := g.enter(r.Context(), project)
	if err != nil {
		return err
	}
	defer leave()
	ctx, cancel := context.WithTimeout(r.Context(), gitTime)
	defer cancel()
	out := &gitAnswer{w: w, to: pacedWriter{w, r.exchange.control}, kind: "application/x-" + string(asked) + "-result"}
	err = work(ctx, project, out)
	_ = r.exchange.control.SetWriteDeadline(time.Time{})
	if err == nil {
		out.begin()
	}
	if gone := r.Context().Err(); err != nil && gone != nil {
		return gone
	}
	return err
}

// gitAnswer begins an answer with the first byte of it, so that what goes wrong before
// has a status of its own.
type gitAnswer struct {
	w     http.ResponseWriter
	to    io.Writer
	kind  string
	begun bool
}

func (a *gitAnswer) begin() {
	if a.begun {
		return
	}
	a.begun = true
	a.w.Header().Set("Content-Type", a.kind)
	a.w.WriteHeader(http.StatusOK)
}

// Write implements io.Writer.
func (a *gitAnswer) Write(data []byte) (int, error) {
	a.begin()
	return a.to.Write(data)
}
