package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent/tools"
	"github.com/atelierhq/atelier/ports/ai"
)

// executor carries out the model's tool calls: those that only read at the same time, all
// others one after the other. It records their results, in the order of the calls, and adds
// them to the conversation.
type executor struct {
	bench        *tools.Workbench
	conversation *transcript
	budget       *budget
	guards       *guards
	record       recorder
	// mayAsk returns an error if the run may not end with a question now.
	mayAsk func(context.Context) error
}

// act carries out the calls in order and adds their results to the conversation.
func (e *executor) act(ctx context.Context, calls []ai.Call) error {
	for len(calls) > 0 {
		reads := slices.IndexFunc(calls, func(call ai.Call) bool { return !e.bench.IsReading(call) })
		if reads < 0 {
			reads = len(calls)
		}
		if reads > 1 && e.conversation.asked() == nil {
			if err := e.read(ctx, calls[:reads]); err != nil {
				return err
			}
			calls = calls[reads:]
			continue
		}
		result, failure := e.call(ctx, calls[0])
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := e.report(calls[0], result, failure); err != nil {
			return err
		}
		calls = calls[1:]
	}
	return nil
}

// call carries out one call, unless the run ends with a question before it.
func (e *executor) call(ctx context.Context, call ai.Call) (tools.Result, error) {
	if e.conversation.asked() != nil {
		return tools.Result{}, errors.New(afterQuestion)
	}
	if call.Tool == tools.AskTool {
		if err := e.mayAsk(ctx); err != nil {
			return tools.Result{}, err
		}
	}
	result, err := e.bench.Call(ctx, call, e.budget.result())
	if result.Approval != nil {
		if err := e.mayAsk(ctx); err != nil {
			return tools.Result{}, err
		}
	}
	return result, err
}

// report records the result of a call and adds it to the conversation.
func (e *executor) report(call ai.Call, result tools.Result, failure error) error {
	given := result.Text
	if failure != nil {
		given = failure.Error()
	}
	given = tools.CutMiddle(given, e.budget.result(), resultCut)
	text := given + e.guards.hintFor(call, given, failure != nil)
	var event core.Payload = core.ToolResult{ID: call.ID, Result: text, Frames: result.Frames}
	if failure != nil {
		event = core.ToolError{ID: call.ID, Error: text, Frames: result.Frames}
	}
	for _, changed := range e.conversation.unreported(result.Changed) {
		if err := e.record(changed); err != nil {
			return err
		}
		e.conversation.works.add(changed)
	}
	if result.Approval != nil {
		// Before the result: with it alone, a run that resumes would not know that it asked.
		if err := e.record(*result.Approval); err != nil {
			return err
		}
		e.conversation.approval = result.Approval
	}
	if err := e.record(event); err != nil {
		return err
	}
	if len(result.Changed) > 0 {
		e.conversation.changed = true
		e.conversation.edits++
	}
	e.conversation.answer(call.ID, text, failure != nil)
	e.conversation.show(call.ID, result.Images)
	e.bench.Learn(call, text, failure != nil)
	e.guards.note(call, given, failure != nil, len(result.Changed) > 0)
	return nil
}

// settle answers the interrupted call if it must not or need not be repeated: a change
// that was made, as intent and the disk tell, or a command or a change of data, because
// nobody knows how far it got.
func (e *executor) settle(ctx context.Context, call ai.Call, intent *core.Intent) error {
	if !tools.IsRepeatable(call) {
		return e.report(call, tools.Result{Changed: e.conversation.changing}, fmt.Errorf("%s", interruptedResult))
	}
	if intent == nil || intent.CallID != call.ID {
		return nil
	}
	result, done := e.bench.Recover(ctx, *intent)
	if !done {
		return nil
	}
	return e.report(call, result, nil)
}
