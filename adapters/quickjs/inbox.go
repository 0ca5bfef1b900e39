package quickjs

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/functions"
)

// inbox receives the events of a call: answers of its host, and timers. Only answers come from
// other goroutines than the call's.
type inbox struct {
	arrived chan delivery
	// ended is closed with the call, so that late answers are dropped.
	ended chan struct{}

	// mu also guards the isolate's machine, which other goroutines interrupt.
	mu   *sync.Mutex
	once *sync.Once
	// timers maps the timers that have not fired to when they are due.
	timers map[int]time.Time
	// asked counts the calls of the host, running those in progress.
	asked, running int
}

// delivery is the answer to one of the call's requests.
type delivery struct {
	id    int
	reply reply
}

// reply is the answer of a host.
type reply struct {
	fault string
	head  string
	body  []byte
}

func newInbox() inbox {
	return inbox{arrived: make(chan delivery), ended: make(chan struct{}), mu: &sync.Mutex{}, once: &sync.Once{}, timers: map[int]time.Time{}}
}

func (b *inbox) deliver(what delivery) {
	select {
	case b.arrived <- what:
	case <-b.ended:
	}
}

// close stops all waiting. It may be called more than once.
func (b *inbox) close() { b.once.Do(func() { close(b.ended) }) }

// idle reports whether no event can arrive.
func (b *inbox) idle() bool { return b.running == 0 && len(b.timers) == 0 }

// open converts a delivery to arguments for the machine.
func (b *inbox) open(what delivery) []any {
	b.running--
	return []any{what.id, what.reply.fault, what.reply.head, base64.StdEncoding.EncodeToString(what.reply.body)}
}

// maxTimers bounds the timers of a call.
const maxTimers = 1000

// setTimer starts a timer of the function.
func (b *inbox) setTimer(id int, after time.Duration) error {
	if len(b.timers) > maxTimers {
		return core.Errorf(core.CodeValidationFailed, "a function has at most %d timers", maxTimers)
	}
	b.timers[id] = time.Now().Add(max(after, 0))
	return nil
}

// clearTimer stops a timer.
func (b *inbox) clearTimer(id int) { delete(b.timers, id) }

// nextTimer returns the timer that fires next, and a channel that tells when, nil if there is no
// timer. Timers fire in the order in which they are due, however late they are.
func (b *inbox) nextTimer() (id int, due <-chan time.Time) {
	var first time.Time
	for candidate, at := range b.timers {
		if first.IsZero() || at.Before(first) || at.Equal(first) && candidate < id {
			id, first = candidate, at
		}
	}
	if first.IsZero() {
		return 0, nil
	}
	return id, time.After(time.Until(first))
}

// ask starts a call of the host.
func (b *inbox) ask(ctx context.Context, id int, carryOut func(ctx context.Context) (any, []byte, error)) error {
	if b.asked >= functions.MaxHostCalls {
		return core.Errorf(core.CodeRateLimited, "a function makes at most %d requests", functions.MaxHostCalls)
	}
	if b.running >= functions.MaxHostCallsAtATime {
		return core.Errorf(core.CodeRateLimited, "a function makes at most %d requests at the same time", functions.MaxHostCallsAtATime)
	}
	b.asked++
	b.running++
	go func() {
		value, body, err := carryOut(ctx)
		answer := reply{body: body}
		if err == nil {
			var head []byte
			head, err = json.Marshal(value)
			answer.head = string(head)
		}
		if err != nil {
			answer = reply{fault: faultOf(err)}
		}
		b.deliver(delivery{id: id, reply: answer})
	}()
	return nil
}
