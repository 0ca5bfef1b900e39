package chat

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
)

// unstored is the last event of a stream whose run's end cannot be stored. It is in no
// log and has no seq: clients that ask later read the actual outcome.
var unstored = core.SessionError{
	Error:   core.CodeInternal,
	Message: "What happens here cannot be stored at the moment: the service's disk may be full. What was stored is kept; open the chat again in a while.",
}

// lose notes that a run's end could not be stored, so that its followers do not wait
// in vain. The run stays active until its end can be stored.
func (s *Service) lose(run core.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost[run] = true
}

// found forgets that a run was lost.
func (s *Service) found(run core.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.lost, run)
}

// isLost reports whether the fate of a run is unknown: its end could not be stored
// here, or its lease expired so long ago that another process should have taken it
// over.
func (s *Service) isLost(run core.Run) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost[run.ID] {
		return true
	}
	_, active := s.active[run.ID]
	return !active && run.Status == core.RunRunning && run.LeaseUntil.Add(2*lease) < core.At(s.now())
}

// sendUnstored ends a stream whose run is lost.
func (f *Follower) sendUnstored() error {
	f.ended = true
	return f.emit(core.Event{CreatedAt: core.At(f.service.now()), Payload: unstored})
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
