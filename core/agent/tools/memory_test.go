package tools

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent/writegate"
)

func events(payloads ...core.Payload) []core.Event {
	log := make([]core.Event, len(payloads))
	for i, p := range payloads {
		log[i] = core.Event{Seq: int64(i + 1), Payload: p}
	}
	return log
}

// told makes a log of calls with their results.
func told(calls ...[3]string) []core.Event {
	log := []core.Payload{core.UserMessage{Text: "please"}}
	for _, c := range calls {
		log = append(log, core.ToolCall{ID: "1", Tool: c[0], Args: json.RawMessage(c[1])})
		if len(c[2]) > 0 && c[2][0] == '!' {
			log = append(log, core.ToolError{ID: "1", Error: c[2][1:]})
		} else {
			log = append(log, core.ToolResult{ID: "1", Result: c[2]})
		}
	}
	return events(log...)
}

func TestTheMemoryKnowsWhatResultsShowed(t *testing.T) {
	read := func(path, hash string) [3]string {
		return [3]string{"read_file", `{"path":"` + path + `"}`, path + " hash " + hash + "\ncontent with hash ffff in it"}
	}
	wrote := func(path, hash string) [3]string {
		return [3]string{"edit_file", `{"path":"` + path + `"}`, path + " modified, now with the hash " + hash + ".\nBuild succeeded."}
	}
	for name, c := range map[string]struct {
		log  []core.Event
		want map[string][]string
	}{
		"nothing":                       {told(), nil},
		"a read":                        {told(read("a", "1")), map[string][]string{"a": {"1"}}},
		"a read of a part":              {told([3]string{"read_file", `{"path":"a"}`, "a hash 1, only the first 3 of 9 bytes\nabc"}), map[string][]string{"a": {"1"}}},
		"a path like a hash":            {told(read("hash 9", "1")), map[string][]string{"hash 9": {"1"}}},
		"a read and a change":           {told(read("a", "1"), wrote("a", "2"), wrote("a", "3")), map[string][]string{"a": {"1", "2", "3"}}},
		"a new read of the same":        {told(read("a", "1"), wrote("a", "2"), read("a", "2")), map[string][]string{"a": {"1", "2"}}},
		"a read after others' change":   {told(read("a", "1"), wrote("a", "2"), read("a", "9")), map[string][]string{"a": {"9"}}},
		"a change without a hash":       {told(read("a", "1"), [3]string{"write_file", `{"path":"a"}`, "a modified; somebody has changed it again since\n"}), map[string][]string{"a": nil}},
		"a call that failed":            {told([3]string{"read_file", `{"path":"a"}`, "!not_found: hash 1"}), nil},
		"a rename":                      {told(read("a", "1"), [3]string{"rename_file", `{"from":"a","to":"b"}`, "b renamed."}), map[string][]string{"b": {"1"}}},
		"a rename of a directory":       {told(read("a/x", "1"), read("ab", "2"), [3]string{"rename_file", `{"from":"a","to":"c/d"}`, "c/d renamed."}), map[string][]string{"c/d/x": {"1"}, "ab": {"2"}}},
		"a deletion":                    {told(read("a/x", "1"), [3]string{"delete_file", `{"path":"a"}`, "a deleted."}), map[string][]string{}},
		"arguments that are no object":  {told([3]string{"delete_file", `7`, "!arguments are wrong"}), nil},
		"a result without its call":     {events(core.ToolResult{ID: "9", Result: "a hash 1\n"}), nil},
		"versions survive a message":    {append(told(read("a", "1")), events(core.UserMessage{Text: "more"})...), map[string][]string{"a": {"1"}}},
		"another tool with such a text": {told([3]string{"search_files", `{"path":"a"}`, "a hash 1\n"}), nil},
	} {
		if got := memoryOf(c.log).versions; len(got)+len(c.want) > 0 && !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

func TestOnlyTheNextWriteConfirmsALoss(t *testing.T) {
	doubt := [3]string{"write_file", `{"path":"a","content":"x"}`, "!validation_failed: lost. " + writegate.RepeatToConfirm}
	memory := memoryOf(told(doubt, [3]string{"read_file", `{"path":"a"}`, "a hash 1\n"}))
	if memory.doubted != fingerprint("a", "x") {
		t.Error("got another doubt, want the write's, also after a read")
	}
	memory = memoryOf(told(doubt, [3]string{"edit_file", `{"path":"a"}`, "!not_found: file"}))
	if memory.doubted == fingerprint("a", "x") {
		t.Error("got the doubt of a write that another one followed, want none")
	}
}

func TestEditsNeedTheVersionThatTheFileHas(t *testing.T) {
	path := core.MustPath("a")
	for name, c := range map[string]struct {
		known          []string
		named, current string
		want           core.Code
	}{
		"no hash and no read":                    {nil, "", "1", core.CodePreconditionFailed},
		"the file's hash":                        {nil, "1", "1", ""},
		"a read of this version":                 {[]string{"1"}, "", "1", ""},
		"a read of an older version":             {[]string{"1"}, "", "2", core.CodePreconditionFailed},
		"a stale hash":                           {[]string{"1"}, "1", "2", core.CodePreconditionFailed},
		"a stale hash of one that was read anew": {[]string{"2"}, "1", "2", core.CodePreconditionFailed},
		"a hash that its own change left behind": {[]string{"1", "2", "3"}, "1", "3", ""},
		"the same, after others' change":         {[]string{"1", "2"}, "1", "9", core.CodePreconditionFailed},
		"a hash that was never there":            {[]string{"1"}, "7", "1", core.CodePreconditionFailed},
		"an older one with the file's hash":      {[]string{"1"}, "2", "2", ""},
	} {
		memory := fileMemory{versions: map[string][]string{"a": c.known}}
		err := memory.mayEdit(path, c.named, c.current)
		if (err == nil) != (c.want == "") || err != nil && !core.IsCode(err, c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}
