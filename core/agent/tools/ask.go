package tools

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// AskTool ends the run with a question to the person.
const AskTool = "ask_person"

// Bounds of a question: its choices, and the characters of its text and of a choice.
const (
	leastChoices   = 2
	mostChoices    = 4
	maxQuestion    = 500
	maxChoiceChars = 100
)

// askPerson checks the question; the run that called it ends with it.
func askPerson(_ context.Context, _ *invocation, raw json.RawMessage) (Result, error) {
	if _, err := questionIn(raw); err != nil {
		return Result{}, err
	}
	return Result{Text: "The person is asked. Their next message is the answer."}, nil
}

// QuestionOf returns the question of a call of AskTool that succeeded.
func QuestionOf(call ai.Call) (core.Question, bool) {
	if call.Tool != AskTool {
		return core.Question{}, false
	}
	question, err := questionIn(withoutRemarks(call.Args, askParameters))
	return question, err == nil
}

const askParameters = `{"type":"object","properties":{"question":{"type":"string"},"choices":{"type":"array","items":{"type":"string"},"minItems":2,"maxItems":4}},"required":["question","choices"],"additionalProperties":false}`

func questionIn(raw json.RawMessage) (core.Question, error) {
	var args struct {
		Question string   `json:"question"`
		Choices  []string `json:"choices"`
	}
	if err := decodeArgs(raw, &args); err != nil {
		return core.Question{}, err
	}
	question := core.Question{Text: strings.TrimSpace(args.Question)}
	if n := utf8.RuneCountInString(question.Text); n == 0 || n > maxQuestion {
		return core.Question{}, core.Errorf(core.CodeValidationFailed, "question must have 1 to %d characters", maxQuestion)
	}
	for _, choice := range args.Choices {
		choice = strings.TrimSpace(choice)
		if n := utf8.RuneCountInString(choice); n == 0 || n > maxChoiceChars {
			return core.Question{}, core.Errorf(core.CodeValidationFailed, "a choice must have 1 to %d characters", maxChoiceChars)
		}
		if !slices.Contains(question.Choices, choice) {
			question.Choices = append(question.Choices, choice)
		}
	}
	if n := len(question.Choices); n < leastChoices || n > mostChoices {
		return core.Question{}, core.Errorf(core.CodeValidationFailed, "give %d to %d different choices; the person may also answer in their own words", leastChoices, mostChoices)
	}
	return question, nil
}
