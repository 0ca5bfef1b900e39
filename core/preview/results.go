package preview

import (
	"context"
	"sync"
	"time"
)

// results has the outcome of a session's builds, for those who wait for a build and those
// who watch.
type results struct {
	feed *feed
	// kick wakes the session when a waiter needs a build.
	kick chan struct{}

	// mu guards the fields below. It is held while an outcome goes into the feed, so that
	// nobody sees an outcome before its event was sent.
	mu sync.Mutex
	// changed is closed, and replaced, whenever outcome, built or over change.
	changed chan struct{}
	outcome outcome
	// built is the revision of the files at the start of the last build; wanted is
	// the highest that any caller waits for.
	built, wanted int64
	builtAt       time.Time
	over          bool
}

func newResults(feed *feed) *results {
	return &results{feed: feed, kick: make(chan struct{}, 1), changed: make(chan struct{}), built: -1}
}

// await waits until a build of the files at revision or later has ended, or until
// the current outcome is enough, and returns the outcome. It returns errEnded if
// the session ends; if ctx ends, it returns the current outcome with ctx's error.
func (r *results) await(ctx context.Context, revision int64, enough func(outcome) bool) (outcome, error) {
	for {
		r.mu.Lock()
		at, changed, ended := r.outcome, r.changed, r.over
		current := r.coversLocked(revision)
		r.wanted = max(r.wanted, revision)
		r.mu.Unlock()
		switch {
		case ended:
			return at, errEnded
		case current, enough != nil && enough(at):
			return at, nil
		}
		select {
		case r.kick <- struct{}{}:
		default:
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return at, ctx.Err()
		}
	}
}

// coversLocked reports whether the last build covers revision.
func (r *results) coversLocked(revision int64) bool {
	stale := r.outcome.failure != nil && time.Since(r.builtAt) >= retryAfter
	return r.outcome.tried && r.built >= revision && !stale
}

// due reports whether a waiter needs another build than the last one.
func (r *results) due() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.coversLocked(r.wanted)
}

// latest returns the current outcome.
func (r *results) latest() outcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.outcome
}

// sinceBuilt is how long ago the last build ended.
func (r *results) sinceBuilt() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Since(r.builtAt)
}

// highestWanted is the highest revision that a caller waits for.
func (r *results) highestWanted() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return max(r.wanted, 0)
}

// record stores the result of a build of the files at a revision, sends its event to the
// watchers, and wakes the waiters.
func (r *results) record(revision int64, next func(outcome) outcome) (before, after outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before = r.outcome
	after = next(before)
	r.outcome = after
	r.built = max(r.built, revision)
	r.builtAt = time.Now()
	r.feed.build(after.event(), after.served() != before.served())
	r.wakeLocked()
	return before, after
}

// progress stores how far the start of a development server is. Nothing is served until it
// answers.
func (r *results) progress(note string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcome = outcome{note: note, tried: r.outcome.tried}
	r.wakeLocked()
}

// forgetServer says that the development server gets no more requests.
func (r *results) forgetServer() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcome.server = nil
}

// serves reports whether a development server is running or starting.
func (r *results) serves() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.outcome.server != nil || r.outcome.note != ""
}

// subscribe adds a watcher to the feed. A page is sent the event of the last build first.
func (r *results) subscribe(who viewer, allowed func(context.Context) error) (*watcher, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if who.page != "" && r.outcome.tried {
		return r.feed.subscribe(who, allowed, r.outcome.event())
	}
	return r.feed.subscribe(who, allowed)
}

// wakeLocked wakes all waiters.
func (r *results) wakeLocked() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// end ends the wait of all callers, and the feed.
func (r *results) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	r.feed.end()
	r.wakeLocked()
}
