package anthropic

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// thinking asks the model to think: with a budget, as much as it finds right, or not.
type thinking struct {
	Type         string `json:"type"`
	BudgetTokens int    `json:"budget_tokens,omitempty"`
}

// outputConfig says how much effort an answer is worth, and which form it has.
type outputConfig struct {
	Effort string        `json:"effort,omitempty"`
	Format *outputFormat `json:"format,omitempty"`
}

type outputFormat struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

// Names of Claude models. Those before 4.6 think within a budget, all later ones refuse budgets, or
// will, and choose for themselves by an effort
// (https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking, …/extended-thinking and
// …/effort). Fable and Mythos cannot do without;
// those before 3.7 cannot think. The output's format came with 4.5.
var (
	claude      = regexp.MustCompile(`claude`)
	budgeted    = regexp.MustCompile(`claude-3-7|claude-(?:opus|sonnet|haiku)-4(?:[-.@][015])?(?:$|[-.@:]\d{8}|-v\d|-latest)`)
	always      = regexp.MustCompile(`claude-(?:fable|mythos)`)
	thoughtless = regexp.MustCompile(`claude-(?:[12]\b|instant|3-(?:5|haiku|sonnet|opus))`)
	formless    = regexp.MustCompile(`claude-(?:[123]\b|instant|(?:opus|sonnet)-4(?:[-.@][01])?(?:$|[-.@:]\d{8}|-v\d|-latest))`)
)

// leastBudget is the smallest budget that the vendor takes.
const leastBudget = 1024

// budgets are the tokens for thinking, of at most half of an answer.
var budgets = map[core.Thinking]int{core.ThinkingLow: 2048, core.ThinkingMedium: 4096, core.ThinkingHigh: 8192}

// think sets how much the model thinks. It leaves out what the vendor would refuse: budgets that
// are too small, and thinking in the middle of a turn whose first answer has no thought.
func (r *messagesRequest) think(req ai.Request) {
	model := strings.ToLower(req.Model)
	switch {
	case req.Thinking == "" || !claude.MatchString(model) || thoughtless.MatchString(model):
	case req.Thinking == core.ThinkingOff && always.MatchString(model):
		r.OutputConfig = &outputConfig{Effort: string(core.ThinkingLow)}
	case req.Thinking == core.ThinkingOff:
		r.Thinking = &thinking{Type: "disabled"}
	case !budgeted.MatchString(model):
		r.Thinking, r.OutputConfig = &thinking{Type: "adaptive"}, &outputConfig{Effort: string(req.Thinking)}
	default:
		if budget := min(budgets[req.Thinking], r.MaxTokens/2); budget >= leastBudget && thinksAlready(req.Messages) {
			r.Thinking = &thinking{Type: "enabled", BudgetTokens: budget}
		}
	}
}

// thinksAlready reports whether each call of tools since the person's newest message came after a
// signed thought.
func thinksAlready(messages []ai.Message) bool {
	for i := len(messages) - 1; i >= 0 && messages[i].Role != ai.RoleUser; i-- {
		if m := messages[i]; len(m.Calls) > 0 && len(thoughtBlocks(m)) == 0 {
			return false
		}
	}
	return true
}

// answerIn asks for an answer in a schema. Since Claude 4.5 that is the output's format, which goes
// with thinking (https://platform.claude.com/docs/en/build-with-claude/structured-outputs). All
// others, and other vendors' servers, must call a tool, and models refuse to be forced while they
// think.
func (r *messagesRequest) answerIn(schema json.RawMessage, req ai.Request) {
	if model := strings.ToLower(req.Model); claude.MatchString(model) && !formless.MatchString(model) {
		if r.OutputConfig == nil {
			r.OutputConfig = &outputConfig{}
		}
		r.OutputConfig.Format = &outputFormat{Type: "json_schema", Schema: schema}
		r.declareCalled(req.Messages)
		if len(r.Tools) > 0 {
			r.ToolChoice = &toolChoice{Type: "none"}
		}
		return
	}
	r.Thinking = nil
	r.Tools = append(r.Tools, tool{Name: answerTool, Description: "Give your answer.", InputSchema: schema})
	r.ToolChoice = &toolChoice{Type: "tool", Name: answerTool}
}

// declareCalled declares the tools that the conversation has called if none are offered: servers
// refuse calls of tools that a request does not declare.
func (r *messagesRequest) declareCalled(messages []ai.Message) {
	if len(r.Tools) > 0 {
		return
	}
	declared := map[string]bool{}
	for _, m := range messages {
		for _, call := range m.Calls {
			if !declared[call.Tool] {
				declared[call.Tool] = true
				r.Tools = append(r.Tools, tool{Name: call.Tool, InputSchema: json.RawMessage(`{"type":"object"}`)})
			}
		}
	}
}
