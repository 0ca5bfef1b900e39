package agent

import (
	"context"
	"slices"

	"github.com/atelierhq/atelier/ports/ai"
)

// resume returns the turn that a run begins with: its first step or, after a crash,
// the one that the log shows unfinished. A partial answer is closed in the log and
// asked for again. Calls without a result are carried out, unless they already were.
func (r *run) resume(ctx context.Context) (*turn, error) {
	c := r.conversation
	if !r.task.Resume {
		c.closeCalls()
		if c.allowed != nil {
			return r.executor.carryOn(*c.allowed)
		}
		return r.step(ctx)
	}
	if c.open {
		message := *c.assistant()
		if err := r.record.breakOff(message.Text, message.Calls); err != nil {
			return nil, err
		}
		c.breakOff()
	}
	c.forgetCut()
	if len(c.waiting) > 0 {
		if err := r.executor.settle(ctx, c.waiting[0], r.task.Intent); err != nil {
			return nil, err
		}
		return &turn{acts: true, calls: slices.Clone(c.waiting)}, nil
	}
	if c.asked() != nil {
		return &turn{acts: true}, nil
	}
	if n := len(c.messages); n > 0 && c.messages[n-1].Role == ai.RoleAssistant {
		return &turn{text: c.messages[n-1].Text}, nil
	}
	return r.step(ctx)
}
