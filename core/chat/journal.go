package chat

import (
	"strings"
	"sync"

	"github.com/atelierhq/atelier/core"
)

// maxPendingBytes is how much text may wait to be stored before the model has to
// wait as well.
const maxPendingBytes = 256 << 10

// journal stores the events of one run, batch by batch (group commit). While one batch
// is stored, the next collects. So a model that is faster than the disk causes fewer
// writes, but never a gap. Nobody sees an event before it is durable.
type journal struct {
	// store makes a batch durable and tells the followers.
	store func([]core.Payload) error

	mu      sync.Mutex
	changed sync.Cond
	next    batch
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
	for j.next.bytes > maxPendingBytes && j.failure == nil {
		j.changed.Wait()
	}
	if j.failure != nil {
		return j.failure
	}
	j.next.add(payload)
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
	for !j.next.isEmpty() && j.failure == nil {
		payloads := j.next.take()
		j.mu.Unlock()
		err := j.store(payloads)
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

// batch collects events to be stored at once, and merges consecutive deltas into one.
type batch struct {
	payloads []core.Payload
	// delta collects the text of a delta that follows payloads; kind is its type, "" if
	// there is none.
	delta strings.Builder
	kind  core.EventType
	bytes int
}

func (b *batch) isEmpty() bool { return len(b.payloads) == 0 && b.kind == "" }

// take returns the events and leaves the batch empty.
func (b *batch) take() []core.Payload {
	b.closeDelta()
	payloads := b.payloads
	b.payloads, b.bytes = nil, 0
	return payloads
}

func (b *batch) add(payload core.Payload) {
	b.bytes += weight(payload)
	switch p := payload.(type) {
	case core.MessageDelta:
		b.addDelta(p.EventType(), p.Delta)
	case core.ReasoningDelta:
		if p.Signed == nil {
			b.addDelta(p.EventType(), p.Delta)
			return
		}
		b.closeDelta()
		b.payloads = append(b.payloads, payload)
	default:
		b.closeDelta()
		b.payloads = append(b.payloads, payload)
	}
}

// addDelta adds text to the open delta, and closes one of another kind first.
func (b *batch) addDelta(kind core.EventType, text string) {
	if b.kind != kind {
		b.closeDelta()
		b.kind = kind
	}
	b.delta.WriteString(text)
}

// closeDelta appends the open delta to the payloads.
func (b *batch) closeDelta() {
	switch b.kind {
	case core.EventMessageDelta:
		b.payloads = append(b.payloads, core.MessageDelta{Delta: b.delta.String()})
	case core.EventReasoningDelta:
		b.payloads = append(b.payloads, core.ReasoningDelta{Delta: b.delta.String()})
	}
	b.kind = ""
	b.delta.Reset()
}

// weight is how much an event counts towards maxPendingBytes.
func weight(payload core.Payload) int {
	switch p := payload.(type) {
	case core.MessageDelta:
		return len(p.Delta)
	case core.ReasoningDelta:
		if p.Signed != nil {
			return len(p.Signed.Signature)
		}
		return len(p.Delta)
	case core.ToolCall:
		return len(p.Args)
	case core.ToolResult:
		return len(p.Result)
	}
	return 0
}
