package httpapi

import (
	"net/http"
	"syscall"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
)

// Bounds of streams of events, which last for hours and hold a connection each.
const (
	// mostStreams bounds those of everybody where the process may open more files than
	// memory allows for.
	mostStreams = 50_000
	// streamsAgain is when a caller without a place may ask again.
	streamsAgain = 10 * time.Second
)

// streams bounds the streams of events, so that neither one person nor all together use
// up the files that the process may have open: nobody else gets a connection then.
type streams struct {
	places *fair.Semaphore
	// most is how many one person has, over all of their tabs and programs.
	most int64
}

// newStreams leaves three quarters of the files that the process may have open to
// everything else. Go has raised the soft limit to the hard one before main begins.
func newStreams(perPerson int) *streams {
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		files.Cur = 1024
	}
	return streamsWithin(int64(min(files.Cur/4, mostStreams)), int64(perPerson))
}

func streamsWithin(places, most int64) *streams {
	places = max(places, 8)
	if most <= 0 || most > places {
		most = places
	}
	return &streams{fair.New(fair.Bounds{Places: places, Kept: places / 8, Most: most}), most}
}

// bounded lets handle answer with a stream when there is a place for the caller. One too
// many of their own has code core.CodeRateLimited, and core.CodeUnavailable says that
// everybody's are taken.
func (s *streams) bounded(handle Handler) Handler {
	return func(w http.ResponseWriter, r *Request) error {
		person := r.Actor.UserID
		if !s.places.TryAcquire(person, 1) {
			return s.full(person)
		}
		defer s.places.Release(person, 1)
		return handle(w, r)
	}
}

func (s *streams) full(person core.ID) error {
	refused := core.Errorf(core.CodeUnavailable, "too many streams are open at the moment: try again later")
	if own := s.places.Held(person); own >= s.most {
		refused = core.Errorf(core.CodeRateLimited, "you have %d streams open, which is all that one person may: close some first", own)
	}
	refused.RetryAfter = streamsAgain
	return refused
}
