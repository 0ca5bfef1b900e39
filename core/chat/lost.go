package chat

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
)

// lostRuns are the runs whose end could not be stored. Their followers do not wait for it,
// and the runs stay active in the database until it is stored.
type lostRuns struct {
	mu  sync.Mutex
	ids map[core.ID]bool
}

func newLostRuns() *lostRuns { return &lostRuns{ids: map[core.ID]bool{}} }

func (l *lostRuns) add(run core.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ids[run] = true
}

func (l *lostRuns) remove(run core.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.ids, run)
}

func (l *lostRuns) has(run core.ID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ids[run]
}

// repeatAfter is how long a warning is not repeated in the log.
const repeatAfter = time.Minute

// throttle is a rate limit for warnings that come with every attempt: it writes each
// once a minute, because a full disk must not fill the log as well.
type throttle struct {
	log  *slog.Logger
	mu   sync.Mutex
	said map[string]said
}

type said struct {
	at     time.Time
	unsaid int
}

func newThrottle(log *slog.Logger) *throttle { return &throttle{log: log, said: map[string]said{}} }

func (t *throttle) warn(ctx context.Context, message string, args ...any) {
	t.mu.Lock()
	last, known := t.said[message]
	if known && time.Since(last.at) < repeatAfter {
		last.unsaid++
		t.said[message] = last
		t.mu.Unlock()
		return
	}
	t.said[message] = said{at: time.Now()}
	t.mu.Unlock()
	if last.unsaid > 0 {
		args = append(args, "left_out", last.unsaid)
	}
	t.log.WarnContext(ctx, message, args...)
}
