package agent

import (
	"context"
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

// conclude takes an answer without calls. It ends the run, unless the run's own
// changes broke the build: then the model is asked to fix that first. over says that
// the run has ended.
func (r *run) conclude(ctx context.Context, text string) (outcome Outcome, over bool, err error) {
	if !r.conversation.said {
		if err := r.record(core.AssistantMessage{Text: text}); err != nil {
			return Outcome{}, false, err
		}
		r.conversation.said = true
	}
	broken := r.broken(ctx)
	if len(broken) == 0 {
		plan, err := r.plan(ctx, text)
		return Outcome{Reason: core.ReasonDone, Plan: plan}, true, err
	}
	if !r.repair.begin(broken[0]) || r.conversation.steps >= MaxSteps {
		return Outcome{Reason: core.ReasonLimit}, true, r.record.say(surrender(broken))
	}
	r.conversation.append(ai.Message{Role: ai.RoleUser, Text: repairHint + tools.Describe(broken)})
	return Outcome{}, false, nil
}

// broken returns the errors that keep the project from building after changes of
// this run. If the check fails, it returns none, and the run ends.
func (r *run) broken(ctx context.Context) []core.Diagnostic {
	if !r.conversation.changed {
		return nil
	}
	diagnostics, err := r.task.Project.Check(ctx)
	if err != nil {
		r.log.WarnContext(ctx, "could not check the build at the end of a run", "error", err)
		return nil
	}
	return diagnostics
}

// surrender tells the person what the agent could not fix.
func surrender(broken []core.Diagnostic) string {
	return "The project does not build, and I could not fix it. The preview shows the last working state. The errors are:\n\n" + tools.Describe(broken)
}

// plan reads the plan at the end of a run in plan mode. If the answer has no plan as
// JSON and the model supports a schema, the model is asked to repeat its plan in
// that form. If that fails, the plan is read from the text.
func (r *run) plan(ctx context.Context, text string) (*core.Plan, error) {
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
