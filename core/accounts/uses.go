package accounts

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

const (
	// usePrecision is how exact core.APIToken.LastUsedAt is.
	usePrecision = time.Minute
	// maxUsesPending bounds concurrent writes. A use beyond that is left to the
	// token's next call.
	maxUsesPending = 16
	// useTime bounds one write.
	useTime = 10 * time.Second
)

// uses writes in the background when API tokens were last used: the calls that use
// them neither wait for it nor fail with it.
type uses struct {
	store storage.Store
	log   *slog.Logger
	// semaphore bounds concurrent writes.
	semaphore chan struct{}
	writing   sync.WaitGroup

	mu sync.Mutex
	// noted is when this process last wrote a token's use; old entries are dropped
	// once a minute.
	noted     map[core.ID]core.Time
	forgotten core.Time
}

func newUses(store storage.Store, log *slog.Logger) *uses {
	return &uses{store: store, log: log, semaphore: make(chan struct{}, maxUsesPending), noted: map[core.ID]core.Time{}}
}

// note writes a token's use unless another was written less than a minute ago.
func (u *uses) note(ctx context.Context, token core.APIToken, now core.Time) {
	if token.LastUsedAt != nil && isRecent(*token.LastUsedAt, now) || !u.begin(token.ID, now) {
		return
	}
	u.writing.Go(func() {
		defer func() { <-u.semaphore }()
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), useTime)
		defer cancel()
		err := u.store.Tables().APITokens.Touch(bounded, token.ID, now)
		if err != nil && !core.IsCode(err, core.CodeNotFound) {
			u.log.WarnContext(bounded, "could not record the use of an API token", "token", token.ID, "error", err)
		}
	})
}

// begin takes a place in the semaphore, and reports whether a use is to be written.
func (u *uses) begin(token core.ID, now core.Time) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if last, known := u.noted[token]; known && isRecent(last, now) {
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
	u.noted[token] = now
	return true
}

func isRecent(last, now core.Time) bool { return now < last.Add(usePrecision) }
