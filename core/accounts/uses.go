package accounts

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
)

const (
	// usePrecision is how exact core.APIToken.LastUsedAt and
	// core.Session.LastSeenAt are.
	usePrecision = time.Minute
	// maxUsesPending bounds concurrent writes. A use beyond that is left to the
	// next call.
	maxUsesPending = 16
	// useTime bounds one write.
	useTime = 10 * time.Second
)

// uses writes in the background when API tokens or sessions were last used: the calls
// that use them neither wait for it nor fail with it.
type uses struct {
	// touch writes the use of a record.
	touch func(ctx context.Context, id core.ID, at core.Time) error
	log   *slog.Logger
	// semaphore bounds concurrent writes.
	semaphore chan struct{}
	writing   sync.WaitGroup

	mu sync.Mutex
	// noted is when this process last wrote a record's use; old entries are dropped
	// once a minute.
	noted     map[core.ID]core.Time
	forgotten core.Time
}

func newUses(touch func(context.Context, core.ID, core.Time) error, log *slog.Logger) *uses {
	return &uses{touch: touch, log: log, semaphore: make(chan struct{}, maxUsesPending), noted: map[core.ID]core.Time{}}
}

// note writes a use unless another was written less than a minute ago; last is the one
// that is known to be stored, or nil.
func (u *uses) note(ctx context.Context, id core.ID, last *core.Time, now core.Time) {
	if last != nil && isRecent(*last, now) || !u.begin(id, now) {
		return
	}
	u.writing.Go(func() {
		defer func() { <-u.semaphore }()
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), useTime)
		defer cancel()
		err := u.touch(bounded, id, now)
		if err != nil && !core.IsCode(err, core.CodeNotFound) {
			u.log.WarnContext(bounded, "could not record the use of an API token or session", "id", id, "error", err)
		}
	})
}

// begin takes a place in the semaphore, and reports whether a use is to be written.
func (u *uses) begin(id core.ID, now core.Time) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if last, known := u.noted[id]; known && isRecent(last, now) {
		return false
	}
	select {
	case u.semaphore <- struct{}{}:
	default:
		return false
	}
	if !isRecent(u.forgotten, now) {
		maps.DeleteFunc(u.noted, func(_ core.ID, last core.Time) bool { return !isRecent(last, now) })
		u.forgotten = now
	}
	u.noted[id] = now
	return true
}

func isRecent(last, now core.Time) bool { return now < last.Add(usePrecision) }
