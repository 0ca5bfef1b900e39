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
	if !r.Resume {
		r.closeCalls()
		return r.step(ctx)
	}
	if r.open {
		message := *r.assistant()
		if err := r.record.breakOff(message.Text, message.Calls); err != nil {
			return nil, err
		}
		r.breakOff()
	}
	r.forgetCut()
	if len(r.waiting) > 0 {
		pending := slices.Clone(r.waiting)
		if err := r.executor.settle(ctx, pending[0], r.Intent); err != nil {
			return nil, err
		}
		return &turn{acts: true, calls: slices.Clone(r.waiting)}, nil
	}
	if n := len(r.messages); n > 0 && r.messages[n-1].Role == ai.RoleAssistant {
		return &turn{text: r.messages[n-1].Text}, nil
	}
	return r.step(ctx)
}
