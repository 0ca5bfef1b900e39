// Package loglimit has a rate limit for warnings that come with every attempt: a full disk
// must not fill the log as well.
package loglimit

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Limiter logs each warning at most once in an interval. Many goroutines may use it.
type Limiter struct {
	log   *slog.Logger
	every time.Duration

	mu   sync.Mutex
	last map[string]line
}

// line is when a message was last logged, and how often it was left out since.
type line struct {
	at      time.Time
	leftOut int
}

// New returns a limiter that logs each warning at most once in every.
func New(log *slog.Logger, every time.Duration) *Limiter {
	return &Limiter{log: log, every: every, last: map[string]line{}}
}

// Warn logs a warning, unless one with the same message was logged within the interval. The
// next one that is logged says how many were left out. Messages are constants: each takes
// memory.
func (l *Limiter) Warn(ctx context.Context, message string, args ...any) {
	leftOut, due := l.count(message)
	if !due {
		return
	}
	if leftOut > 0 {
		args = append(args, "left_out", leftOut)
	}
	l.log.WarnContext(ctx, message, args...)
}

// count counts a warning. It reports whether the warning is due, and then how many were left
// out before it.
func (l *Limiter) count(message string) (leftOut int, due bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	last, known := l.last[message]
	if known && time.Since(last.at) < l.every {
		last.leftOut++
		l.last[message] = last
		return 0, false
	}
	l.last[message] = line{at: time.Now()}
	return last.leftOut, true
}
