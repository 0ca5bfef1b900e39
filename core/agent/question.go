package agent

import (
	"context"
	"errors"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent/tools"
	"github.com/atelierhq/atelier/ports/ai"
)

// afterQuestion is the result of calls behind a question in the same answer.
const afterQuestion = "not carried out: you asked the person first. Call it again after the answer, if it is still right"

// question returns the question with which the newest answer of the model ends the run.
func (c *transcript) question() (core.Question, bool) {
	for at, message := range slices.Backward(c.messages) {
		if message.Role != ai.RoleTool {
			return core.Question{}, false
		}
		if message.Tool != tools.AskTool || message.Failed {
			continue
		}
		for _, earlier := range slices.Backward(c.messages[:at]) {
			for _, call := range earlier.Calls {
				if call.ID == message.CallID {
					return tools.QuestionOf(call)
				}
			}
		}
	}
	return core.Question{}, false
}

// mayAsk returns an error while the run's changes keep the project from building or its page from
// working: a run that asks ends, and no run leaves a broken project behind. A mode without tools to
// mend it may ask nevertheless, and so may a model that could not mend the page.
func (r *run) mayAsk(ctx context.Context) error {
	if !r.executor.bench.CanMend() {
		return nil
	}
	if broken, _ := r.broken(ctx); len(broken) > 0 {
		return errors.New("the build failed: correct it before you ask.\n" + tools.Describe(broken))
	}
	if hint, _ := r.judge(ctx); hint != "" {
		return errors.New("not asked yet. " + hint)
	}
	return nil
}
