package chat

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

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
