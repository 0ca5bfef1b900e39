package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent/tools"
	"github.com/atelierhq/atelier/ports/ai"
)

// maxRepairs is how often the agent asks a model to fix the same error at the end of
// a run.
const maxRepairs = 3

// repair counts, per error, the rounds in which the model tried to fix it (circuit
// breaker).
type repair struct{ rounds map[string]int }

// begin counts a round for an error, and reports whether there may be one more. The line
// number does not identify an error, because a fix moves it.
func (r *repair) begin(first core.Diagnostic) bool {
	if r.rounds == nil {
		r.rounds = map[string]int{}
	}
	key := first.Path + "\x00" + first.Message
	r.rounds[key]++
	return r.rounds[key] <= maxRepairs
}

// conclusion is the end of a run, or what keeps it from ending.
type conclusion struct{ *run }

// conclude takes an answer without calls. It ends the run, unless the run's own
// changes broke the build or the page: then the model is asked to fix that first. over
// says that the run has ended.
func (r conclusion) conclude(ctx context.Context, last turn) (outcome Outcome, over bool, err error) {
	if !r.conversation.said {
		if err := r.record(core.AssistantMessage{Text: last.text}); err != nil {
			return Outcome{}, false, err
		}
		r.conversation.said = true
	}
	r.begun += last.text
	if last.cut {
		return r.goOn(ctx)
	}
	text := r.begun
	r.begun = ""
	if r.executor.bench.CanMend() && r.conversation.steps < MaxSteps && r.guards.doubts(text, r.conversation.changed) {
		return Outcome{}, false, r.hint(ctx, claimHint)
	}
	// Before the looks, which would all be done again after it.
	if hint := r.guards.reminds(r.conversation.openTodos()); hint != "" && r.conversation.steps < MaxSteps {
		return Outcome{}, false, r.hint(ctx, hint)
	}
	if err := r.begins(core.StepBuild, true); err != nil {
		return Outcome{}, false, err
	}
	broken, pending := r.broken(ctx)
	if len(broken) == 0 {
		return r.accept(ctx, text, pending)
	}
	if !r.repair.begin(broken[0]) || r.conversation.steps >= MaxSteps {
		return Outcome{Reason: core.ReasonLimit}, true, r.record.say(surrender(broken))
	}
	return Outcome{}, false, r.mend(ctx, repairHint+tools.Describe(broken), len(broken))
}

// accept takes the last answer of a run whose project builds: it ends the run, unless page, types or
// checks show faults.
func (r conclusion) accept(ctx context.Context, text string, pending []core.SchemaStep) (outcome Outcome, over bool, err error) {
	if err := r.begins(core.StepLook, r.task.Eyes != nil || r.task.Types != nil); err != nil {
		return Outcome{}, false, err
	}
	if hint, gaveUp := r.judge(ctx); hint != "" {
		return Outcome{}, false, r.mend(ctx, hint, r.smoke.found)
	} else if gaveUp != nil {
		outcome, err := r.surrenderPage(gaveUp)
		return outcome, true, err
	}
	if reviews, err := r.review(ctx); err != nil || reviews {
		return Outcome{}, false, err
	}
	if err := r.begins(core.StepChecks, r.task.Checks != nil); err != nil {
		return Outcome{}, false, err
	}
	if next, err := r.playChecks(ctx); err != nil || next != nil {
		return next.outcome(), next.over(), err
	}
	if err := errors.Join(r.tellPending(pending), r.notices()); err != nil {
		return Outcome{}, false, err
	}
	plan, err := r.plan(ctx, text)
	return Outcome{Reason: core.ReasonDone, Plan: plan}, true, err
}

// begins tells people that the run begins a step about what it changed, if there is one to make.
func (r conclusion) begins(step core.Step, exists bool) error {
	if !exists || !r.conversation.changed {
		return nil
	}
	return r.record(core.SessionStep{Step: step})
}

// mend asks the model to mend so many faults, and tells people.
func (r conclusion) mend(ctx context.Context, hint string, faults int) error {
	return errors.Join(r.record(core.SessionStep{Step: core.StepMend, Faults: faults}), r.hint(ctx, hint))
}

// Texts about answers that ended because they had reached their limit.
const (
	cutCallResult = "Your answer reached its limit of %d tokens in the middle of this call, so nothing was done. Make it shorter: " +
		"write a long file in parts with write_file, the first with unfinished true, each other with append true."
	cutTextHint = "Your answer reached its limit in the middle. Go on exactly where it ends, and repeat nothing."
	cutNote     = "My answer is longer than this model can write, so it ends in the middle. Write again to let me continue."
)

// noteCut follows an answer that was cut: a call that lost its end says so to the model, and the next
// answers may be longer.
func (r *run) noteCut(calls []ai.Call) {
	if last := len(calls) - 1; last >= 0 && calls[last].Broken != "" {
		calls[last].Broken = fmt.Sprintf(cutCallResult, r.budget.answer)
	}
	r.budget.lengthen()
}

// goOn asks the model once in a run for the rest of a text that was cut. The second time, the run ends.
func (r conclusion) goOn(ctx context.Context) (outcome Outcome, over bool, err error) {
	if !r.guards.continued && r.conversation.steps < MaxSteps {
		r.guards.continued = true
		return Outcome{}, false, r.hint(ctx, cutTextHint)
	}
	outcome, err = r.limit(ctx, cutNote)
	return outcome, true, err
}

// broken returns the errors that keep the project from building after changes of this run. If
// the check fails, it returns none, and the run ends and says so. If a change of the backend's schema only
// waits for a person, its steps are pending instead: no model can fix that.
func (r *run) broken(ctx context.Context) (wrong []core.Diagnostic, pending []core.SchemaStep) {
	r.smoke.missed = nil
	if !r.conversation.changed {
		return nil, nil
	}
	diagnostics, _, err := r.task.Project.Check(ctx)
	if err != nil {
		r.log.WarnContext(ctx, "could not check the build at the end of a run", "error", err)
		r.smoke.missed = append(r.smoke.missed, "whether the project builds: "+tools.MessageOf(err))
		return nil, nil
	}
	if len(diagnostics) != 1 || diagnostics[0].Path != core.BackendSchemaPath {
		return diagnostics, nil
	}
	state, err := r.task.Project.Schema(ctx)
	if err != nil || len(state.Wrong) > 0 || len(state.Pending) == 0 {
		return diagnostics, nil
	}
	return nil, state.Pending
}

// notices tells people at the end of a run what was not checked, not done and not mended.
func (r conclusion) notices() error {
	var all []error
	tell := func(code core.NoticeCode, text string) {
		all = append(all, r.record(core.SessionNotice{Code: code, Text: text}))
	}
	if missed := r.smoke.missed; len(missed) > 0 {
		tell(core.NoticeUnchecked, "I could not check "+strings.Join(missed, ", and ")+".")
	}
	if r.smoke.wrongTypes != "" {
		tell(core.NoticeTypes, "Type errors are left in files that I changed:\n"+r.smoke.wrongTypes)
	}
	if open := r.conversation.openTodos(); len(open) > 0 {
		tell(core.NoticeOpenSteps, "Of my list, this is not done: "+strings.Join(open, "; ")+".")
	}
	if r.guards.doubted && !r.conversation.changed {
		tell(core.NoticeUnchanged, "Nothing was changed.")
	}
	return errors.Join(all...)
}

// pendingNote tells a person what waits for them.
const pendingNote = "One thing waits for you. The new schema would lose test data, so it is not in force, and the preview shows the last state, until you confirm it under Data. It would:"

// tellPending tells the person at the end of a run which change of the schema waits for them.
func (r conclusion) tellPending(steps []core.SchemaStep) error {
	if len(steps) == 0 {
		return nil
	}
	text := pendingNote
	for _, step := range steps {
		if step.Loses {
			text += "\n- " + step.Text
		}
	}
	return r.record.say(text)
}

// surrender tells the person what the agent could not fix.
func surrender(broken []core.Diagnostic) string {
	return "The build failed, and I couldn’t fix it. The preview shows the last version that works. The errors are:\n\n" + tools.Describe(broken)
}

// plan reads the plan at the end of a run in plan mode. If the answer has no plan as
// JSON and the model supports a schema, the model is asked to repeat its plan in
// that form. If that fails, the plan is read from the text.
func (r conclusion) plan(ctx context.Context, text string) (*core.Plan, error) {
	if r.task.Mode != core.ModePlan || r.task.Defined != nil {
		return nil, nil
	}
	plan, structured := core.ParsePlan(text)
	if structured || !r.task.Structured || strings.TrimSpace(text) == "" {
		return &plan, nil
	}
	request := r.client.request(r.conversation.followedBy(planHint))
	request.Tools, request.Schema = nil, []byte(planSchema)
	var out strings.Builder
	_, err := r.client.generate(ctx, request, func(_ *answer, chunk ai.Chunk) error {
		out.WriteString(chunk.Text)
		return nil
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if again, structured := core.ParsePlan(out.String()); err == nil && structured {
		plan.Steps = again.Steps
	}
	return &plan, nil
}

// planHint asks for a plan that was already given, in the form of planSchema.
const planHint = "Write the plan again, as JSON and nothing else."

const planSchema = `{"type":"object","properties":{"steps":{"type":"array","items":{"type":"object","properties":{"title":{"type":"string"},"description":{"type":"string"},"files":{"type":"array","items":{"type":"string"}},"risk":{"type":"string","enum":["low","medium","high"]}},"required":["title","description","files","risk"],"additionalProperties":false}}},"required":["steps"],"additionalProperties":false}`
