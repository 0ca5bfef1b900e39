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

// inbox receives the events of a call: answers of its host, and timers.
type inbox struct {
	arrived chan delivery
	// ended is closed with the call, so that late answers are dropped.
	ended chan struct{}

	// mu also guards the isolate's machine, which other goroutines interrupt.
	mu     *sync.Mutex
	once   *sync.Once
	timers map[int]*time.Timer
	// asked counts the calls of the host, running those in progress.
	asked, running int
}

// delivery is an event.
type delivery struct {
	name  string
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
	return inbox{arrived: make(chan delivery), ended: make(chan struct{}), mu: &sync.Mutex{}, once: &sync.Once{}, timers: map[int]*time.Timer{}}
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
	if what.name == "fire" {
		delete(b.timers, what.id)
		return []any{what.id}
	}
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
	b.timers[id] = time.AfterFunc(max(after, 0), func() { b.deliver(delivery{name: "fire", id: id}) })
	return nil
}

// clearTimer stops a timer. If it is being delivered already, the delivery has no effect.
func (b *inbox) clearTimer(id int) {
	timer, found := b.timers[id]
	if found && timer.Stop() {
		delete(b.timers, id)
	}
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
		b.deliver(delivery{name: "settle", id: id, reply: answer})
	}()
	return nil
}
