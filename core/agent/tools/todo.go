package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// TodoTool writes the list of what is to be done, which the person sees.
const TodoTool = "todo"

// Bounds of a list: its steps, and the characters of one.
const (
	maxTodos     = 20
	maxTodoChars = 120
)

// todoItem is one step of the list.
type todoItem struct {
	Text  string `json:"text"`
	State string `json:"state"`
}

// todoMarks are the states of a step, and how the list shows them.
var todoMarks = map[string]string{"open": "[ ]", "doing": "[~]", "done": "[x]"}

func writeTodo(_ context.Context, _ *invocation, raw json.RawMessage) (Result, error) {
	items, err := todosIn(raw)
	if err != nil {
		return Result{}, err
	}
	if len(items) == 0 {
		return Result{Text: "The list is empty."}, nil
	}
	done := 0
	for _, item := range items {
		if item.State == "done" {
			done++
		}
	}
	return Result{Text: fmt.Sprintf("The list has %d steps, %d of them done.", len(items), done)}, nil
}

// TodoOf returns the list of a call of TodoTool as text, a line a step; "" for an empty list and
// for any other call.
func TodoOf(call ai.Call) string {
	if call.Tool != TodoTool {
		return ""
	}
	var out strings.Builder
	items, _ := todosIn(withoutRemarks(call.Args, todoParameters))
	for _, item := range items {
		fmt.Fprintf(&out, "%s %s\n", todoMarks[item.State], item.Text)
	}
	return out.String()
}

// OpenTodos returns the texts of the steps of a list that are not done.
func OpenTodos(call ai.Call) (open []string) {
	items, _ := todosIn(withoutRemarks(call.Args, todoParameters))
	for _, item := range items {
		if item.State != "done" {
			open = append(open, item.Text)
		}
	}
	return open
}

const todoParameters = `{"type":"object","properties":{"items":{"type":"array","maxItems":20,"items":{"type":"object","properties":{"text":{"type":"string"},"state":{"type":"string","enum":["open","doing","done"]}},"required":["text","state"],"additionalProperties":false}}},"required":["items"],"additionalProperties":false}`

func todosIn(raw json.RawMessage) ([]todoItem, error) {
	var args struct {
		Items *[]todoItem `json:"items"`
	}
	if err := decodeArgs(raw, &args); err != nil {
		return nil, err
	}
	if args.Items == nil || len(*args.Items) > maxTodos {
		return nil, core.Errorf(core.CodeValidationFailed, "items must be the whole list, of at most %d steps", maxTodos)
	}
	for i, item := range *args.Items {
		item.Text = strings.Join(strings.Fields(item.Text), " ")
		if n := utf8.RuneCountInString(item.Text); n == 0 || n > maxTodoChars {
			return nil, core.Errorf(core.CodeValidationFailed, "the text of a step must have 1 to %d characters", maxTodoChars)
		}
		if item.State == "" {
			item.State = "open"
		}
		if todoMarks[item.State] == "" {
			return nil, core.Errorf(core.CodeValidationFailed, "the state of a step is open, doing or done")
		}
		(*args.Items)[i] = item
	}
	return *args.Items, nil
}
