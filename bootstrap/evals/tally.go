package evals

import (
	"slices"

	"github.com/atelierhq/atelier/core"
)

// tally adds up the events of a run.
type tally struct {
	last    int64
	answer  string
	steps   int
	used    core.Usage
	cost    float64
	version bool
	// edits counts the calls that would change files, landed the successful ones.
	edits, landed int
	changing      map[string]bool
	// ends are the events that ended the run, which should be one.
	ends []core.Payload
}

// changingTools are the tools that change files themselves.
func changingTools() []string {
	return []string{"write_file", "edit_file", "rename_file", "delete_file"}
}

// add takes the next event.
func (t *tally) add(event core.Event) error {
	t.last = event.Seq
	switch p := event.Payload.(type) {
	case core.ToolCall:
		if slices.Contains(changingTools(), p.Tool) {
			if t.changing == nil {
				t.changing = map[string]bool{}
			}
			t.changing[p.ID] = true
			t.edits++
		}
	case core.ToolResult:
		if t.changing[p.ID] {
			t.landed++
		}
	case core.AssistantMessage:
		t.answer = p.Text
	case core.UsageInfo:
		if p.Retry == nil && p.Images == 0 {
			t.steps++
		}
		t.used = t.used.Plus(core.Usage{
			InputTokens: p.InputTokens, CachedTokens: p.CachedTokens, WrittenTokens: p.WrittenTokens, OutputTokens: p.OutputTokens,
		})
		t.cost += p.Cost
	case core.VersionCreated:
		t.version = true
	}
	if event.Ends() {
		t.ends = append(t.ends, event.Payload)
	}
	return nil
}

// end says how the run ended, with the message of a failure.
func (t *tally) end() (how, message string) {
	if len(t.ends) == 0 {
		return "", "the run has no last event"
	}
	switch p := t.ends[len(t.ends)-1].(type) {
	case core.TaskComplete:
		return string(p.Reason), ""
	case core.SessionError:
		return string(p.Error), p.Message
	}
	return "", ""
}
