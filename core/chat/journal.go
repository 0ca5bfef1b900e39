package chat

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// maxPendingBytes is how much text may wait to be stored before the model has to
// wait as well.
const maxPendingBytes = 256 << 10

// journal stores the events of one run. Recording and storing overlap: while one batch
// is stored, the next collects, and waiting deltas are merged. So a model that is
// faster than the disk causes fewer writes, but never a gap. Nobody sees an event
// before it is durable.
type journal struct {
	// store makes a batch durable and tells the followers.
	store func([]core.Payload) error

	mu      sync.Mutex
	changed sync.Cond
	pending []core.Payload
	// delta collects the text of a delta that follows pending; kind is its type, "" if
	// there is none.
	delta   strings.Builder
	kind    core.EventType
	bytes   int
	storing bool
	failure error
}

func newJournal(store func([]core.Payload) error) *journal {
	j := &journal{store: store}
	j.changed.L = &j.mu
	return j
}

// record takes the next event. It returns the failure of an earlier batch.
func (j *journal) record(payload core.Payload) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for j.bytes > maxPendingBytes && j.failure == nil {
		j.changed.Wait()
	}
	if j.failure != nil {
		return j.failure
	}
	j.bytes += weight(payload)
	if !j.merge(payload) {
		j.closeDelta()
		j.pending = append(j.pending, payload)
	}
	if !j.storing {
		j.storing = true
		go j.drain()
	}
	return nil
}

// drain stores batches until none is waiting.
func (j *journal) drain() {
	j.mu.Lock()
	defer j.mu.Unlock()
	for (len(j.pending) > 0 || j.kind != "") && j.failure == nil {
		j.closeDelta()
		batch := j.pending
		j.pending, j.bytes = nil, 0
		j.mu.Unlock()
		err := j.store(batch)
		j.mu.Lock()
		j.failure = err
		j.changed.Broadcast()
	}
	j.storing = false
	j.changed.Broadcast()
}

// flush waits until everything recorded is stored.
func (j *journal) flush() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for j.storing {
		j.changed.Wait()
	}
	return j.failure
}

// merge adds a delta's text to the open delta, and closes one of another kind first.
// It returns false for any other event.
func (j *journal) merge(payload core.Payload) bool {
	var text string
	switch p := payload.(type) {
	case core.MessageDelta:
		text = p.Delta
	case core.ReasoningDelta:
		text = p.Delta
	default:
		return false
	}
	if kind := payload.EventType(); j.kind != kind {
		j.closeDelta()
		j.kind = kind
	}
	j.delta.WriteString(text)
	return true
}

// closeDelta appends the open delta to the pending events.
func (j *journal) closeDelta() {
	switch j.kind {
	case core.EventMessageDelta:
		j.pending = append(j.pending, core.MessageDelta{Delta: j.delta.String()})
	case core.EventReasoningDelta:
		j.pending = append(j.pending, core.ReasoningDelta{Delta: j.delta.String()})
	}
	j.kind = ""
	j.delta.Reset()
}

// weight is how much an event counts towards maxPendingBytes.
func weight(payload core.Payload) int {
	switch p := payload.(type) {
	case core.MessageDelta:
		return len(p.Delta)
	case core.ReasoningDelta:
		return len(p.Delta)
	case core.ToolCall:
		return len(p.Args)
	case core.ToolResult:
		return len(p.Result)
	}
	return 0
}

// appendEvents stores payloads in a chat's log and tells the project's followers. If
// another process has taken the run over, it stores nothing and ends this process's
// work on it.
func (s *Service) appendEvents(ctx context.Context, run core.Run, payloads []core.Payload) error {
	events, err := s.append(ctx, run, payloads)
	if errors.Is(err, errTaken) {
		s.cancel(run.ID, errTaken)
	}
	if err != nil {
		return err
	}
	s.announce(ctx, run, events)
	return nil
}

// append stores payloads and, in the same transaction, the changed files that they
// report in the run's row. It returns errTaken if the run is no longer this process's.
func (s *Service) append(ctx context.Context, run core.Run, payloads []core.Payload) (events []core.Event, err error) {
	changed := changesIn(payloads)
	if bool(s.exclusive) && len(changed) == 0 {
		return s.store.Tables().Events.Append(ctx, run.ChatID, core.At(s.now()), payloads)
	}
	err = s.store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if err := s.note(ctx, tables, run, changed); err != nil {
			return err
		}
		events, err = tables.Events.Append(ctx, run.ChatID, core.At(s.now()), payloads)
		return err
	})
	return events, err
}

// announce sends stored events to the followers. If the bus fails, followers only read
// them later.
func (s *Service) announce(ctx context.Context, run core.Run, events []core.Event) {
	s.count(events)
	for i := range events {
		notice := core.Notice{Kind: core.NoticeChatEvent, ProjectID: run.ProjectID, ChatID: run.ChatID, RunID: run.ID, Event: &events[i]}
		if err := s.bus.Publish(ctx, notice); err != nil {
			s.log.WarnContext(ctx, "chat event was not announced", "chat", run.ChatID, "error", err)
			return
		}
	}
}
