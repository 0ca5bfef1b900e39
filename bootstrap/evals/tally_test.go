package evals

import (
	"encoding/json"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// tallied adds up payloads.
func tallied(t *testing.T, payloads ...core.Payload) *tally {
	t.Helper()
	var events tally
	for i, payload := range payloads {
		if err := events.add(core.Event{Seq: int64(i + 1), Payload: payload}); err != nil {
			t.Fatal(err)
		}
	}
	return &events
}

func TestEventsAreAddedUp(t *testing.T) {
	events := tallied(t,
		core.UserMessage{Text: "Do it"},
		core.UsageInfo{InputTokens: 10, OutputTokens: 3, Cost: 0.25},
		core.ToolCall{ID: "1", Tool: "read_file", Args: json.RawMessage(`{}`)}, core.ToolResult{ID: "1"},
		core.ToolCall{ID: "2", Tool: "edit_file", Args: json.RawMessage(`{}`)}, core.ToolError{ID: "2", Error: "no"},
		core.ToolCall{ID: "3", Tool: "edit_file", Args: json.RawMessage(`{}`)}, core.ToolResult{ID: "3"},
		core.ToolCall{ID: "4", Tool: "delete_file", Args: json.RawMessage(`{}`)}, core.ToolResult{ID: "4"},
		core.AssistantMessage{Text: "first"}, core.AssistantMessage{Text: "last"},
		core.UsageInfo{InputTokens: 20, CachedTokens: 12, OutputTokens: 4, Cost: 0.5},
		core.VersionCreated{VersionID: "v", FilesChanged: 1},
		core.TaskComplete{Reason: core.ReasonLimit},
	)
	var got Result
	got.count(events, 0)
	want := Result{End: "limit", Edits: 3, EditsLanded: 2, Steps: 2, InputTokens: 30, CachedTokens: 12, OutputTokens: 7, Cost: 0.75}
	if shown, wanted := show(t, got), show(t, want); shown != wanted {
		t.Errorf("got %s, want %s", shown, wanted)
	}
	if events.answer != "last" || !events.version || events.last != 15 {
		t.Errorf("got the answer %q, a version: %v, and %d events", events.answer, events.version, events.last)
	}
}

func TestTheEndOfARunIsWhatItsLastEventSays(t *testing.T) {
	for _, row := range []struct {
		payload      core.Payload
		how, message string
	}{
		{core.TaskComplete{Reason: core.ReasonDone}, "done", ""},
		{core.TaskComplete{Reason: core.ReasonStopped}, "stopped", ""},
		{core.SessionError{Error: core.CodeCreditExhausted, Message: "no money"}, "credit_exhausted", "no money"},
		{core.AssistantMessage{Text: "hm"}, "", "the run has no last event"},
	} {
		how, message := tallied(t, row.payload).end()
		if how != row.how || message != row.message {
			t.Errorf("%+v: got %q and %q, want %q and %q", row.payload, how, message, row.how, row.message)
		}
	}
}

func TestARunLandsWhenItEndsByItselfAndLeavesWhatItShould(t *testing.T) {
	done, version := core.TaskComplete{Reason: core.ReasonDone}, core.VersionCreated{VersionID: "v"}
	for _, row := range []struct {
		name     string
		changes  string
		payloads []core.Payload
		changed  bool
		want     bool
	}{
		{"changes that were asked for", changesSome, []core.Payload{version, done}, true, true},
		{"no changes, though asked for", changesSome, []core.Payload{done}, false, false},
		{"changes without a version", changesSome, []core.Payload{done}, true, false},
		{"a version without changes", changesNone, []core.Payload{version, done}, false, false},
		{"no changes, as asked", changesNone, []core.Payload{done}, false, true},
		{"changes that nobody wanted", changesNone, []core.Payload{version, done}, true, false},
		{"stopped by a limit", changesSome, []core.Payload{version, core.TaskComplete{Reason: core.ReasonLimit}}, true, false},
		{"an error", changesNone, []core.Payload{core.SessionError{Error: core.CodeInternal}}, false, false},
	} {
		left := outcome{before: texts("a", "1"), after: texts("a", "1")}
		if row.changed {
			left.after = texts("a", "2")
		}
		events := tallied(t, row.payloads...)
		var got Result
		got.count(events, 0)
		got.judge(Task{Changes: row.changes}, left, events)
		if got.Landed != row.want || got.Error != "" {
			t.Errorf("%s: got %s, want landed: %v", row.name, show(t, got), row.want)
		}
	}
}

func TestATaskPassesOnlyAsAWhole(t *testing.T) {
	good := Result{Landed: true, Checks: []CheckResult{{Passed: true}, {Passed: true}}}
	for name, change := range map[string]func(*Result){
		"":                func(*Result) {},
		"a failed check":  func(r *Result) { r.Checks = append(r.Checks, CheckResult{}) },
		"did not land":    func(r *Result) { r.Landed = false },
		"was not judged":  func(r *Result) { r.Error = "the disk is full" },
		"no check passed": func(r *Result) { r.Checks = []CheckResult{{}} },
	} {
		result := good
		change(&result)
		if got := result.passed(); got != (name == "") {
			t.Errorf("%q: got %v, want %v", name, got, name == "")
		}
	}
}
