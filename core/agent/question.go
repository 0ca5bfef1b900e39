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

// asked returns how the run ends if it has asked the person something, nil if it has not.
func (c *transcript) asked() *Outcome {
	if c.approval != nil {
		return &Outcome{Reason: core.ReasonAsked, Approval: c.approval.ID}
	}
	if question, asked := c.question(); asked {
		return &Outcome{Reason: core.ReasonAsked, Question: &question}
	}
	return nil
}

// allows returns the call that a message of the person allows, nil if it allows none: exactly the one
// that waited.
func (c *transcript) allows(answer *core.Approval) *core.ApprovalRequest {
	if answer == nil || !answer.Allow || c.approval == nil || c.approval.ID != answer.ID {
		return nil
	}
	return c.approval
}

// carryOn makes the call that the person allowed the run's first one, as if the model had made it again.
// It uses no tokens.
func (e *executor) carryOn(allowed core.ApprovalRequest) (*turn, error) {
	c := e.conversation
	c.allowed = nil
	call, err := tools.ConnectorCall(c.freshID(string(core.NewID())), allowed)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(e.record(core.ToolCall{ID: call.ID, Tool: call.Tool, Args: call.Args}), e.record(core.UsageInfo{})); err != nil {
		return nil, err
	}
	c.append(ai.Message{Role: ai.RoleAssistant, Calls: []ai.Call{call}, Thoughts: c.thoughts.take(true)})
	c.waiting = []ai.Call{call}
	c.steps++
	e.bench.Approve(call.ID)
	return &turn{acts: true, calls: []ai.Call{call}}, nil
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
	if hint, _ := (conclusion{r}).judge(ctx); hint != "" {
		return errors.New("not asked yet. " + hint)
	}
	return nil
}
