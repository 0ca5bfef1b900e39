package core_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
)

// payloads has one payload of each type of event, with its part of the JSON.
func payloads() map[core.Payload]string {
	return map[core.Payload]string{
		&core.UserMessage{Text: "<hi>\n", Attachments: []core.Attachment{{Type: "image", ID: "a1", MediaType: "image/png", Size: 70}}, By: "u1"}: `{"text":"<hi>\n","attachments":[{"type":"image","id":"a1","mediaType":"image/png","size":70}],"by":"u1"}`,
		&core.MessageDelta{Delta: "é\u2028"}:                                                                                `{"delta":"é\u2028"}`,
		&core.ReasoningDelta{Delta: "hm"}:                                                                                   `{"delta":"hm"}`,
		&core.ToolCall{ID: "1", Tool: "read_file", Args: json.RawMessage(`{"path":"a"}`)}:                                   `{"id":"1","tool":"read_file","args":{"path":"a"}}`,
		&core.ToolResult{ID: "1", Result: "ok"}:                                                                             `{"id":"1","result":"ok"}`,
		&core.ToolError{ID: "1", Error: "no"}:                                                                               `{"id":"1","error":"no"}`,
		&core.AssistantMessage{Text: "done"}:                                                                                `{"text":"done"}`,
		&core.UsageInfo{InputTokens: 1, OutputTokens: 2, Cost: 0.25}:                                                        `{"inputTokens":1,"outputTokens":2,"cost":0.25}`,
		&core.CompactionStart{}:                                                                                             `{}`,
		&core.CompactionComplete{TokensBefore: 9, TokensAfter: 3}:                                                           `{"tokensBefore":9,"tokensAfter":3}`,
		&core.FileChanged{Path: "a/b", Action: core.FileCreated}:                                                            `{"path":"a/b","action":"created"}`,
		&core.CheckResult{Name: "add", Title: "Adding", Message: "no"}:                                                      `{"name":"add","title":"Adding","passed":false,"message":"no"}`,
		&core.VersionCreated{VersionID: "abc", FilesChanged: 2}:                                                             `{"versionId":"abc","filesChanged":2}`,
		&core.SessionStep{Step: core.StepLook}:                                                                              `{"step":"look"}`,
		&core.SessionStep{Step: core.StepMend, Faults: 2}:                                                                   `{"step":"mend","faults":2}`,
		&core.SessionNotice{Code: core.NoticeUnchanged, Text: "Nothing."}:                                                   `{"code":"nothing_changed","text":"Nothing."}`,
		&core.TaskComplete{Reason: core.ReasonDone, Changed: new(0)}:                                                        `{"reason":"done","changed":0}`,
		&core.TaskComplete{Reason: core.ReasonStopped}:                                                                      `{"reason":"stopped"}`,
		&core.TaskComplete{Reason: core.ReasonAsked, Question: &core.Question{Text: "Which?", Choices: []string{"a", "b"}}}: `{"reason":"asked","question":{"text":"Which?","choices":["a","b"]}}`,
		&core.ApprovalRequest{ID: "1", Connector: "Tracker", Tool: "close", Args: json.RawMessage(`{"id":7}`), Reason: core.ApprovalConsent}: `{"id":"1","connector":"Tracker","tool":"close","args":{"id":7},"reason":"consent"}`,
		&core.TaskComplete{Reason: core.ReasonAsked, Approval: "1"}:                                                                          `{"reason":"asked","approval":"1"}`,
		&core.SessionError{Error: core.CodeModelUnavailable, Message: "busy", RetryAt: core.At(time.UnixMilli(0).Add(time.Hour))}:            `{"error":"model_unavailable","message":"busy","retryAt":"1970-01-01T01:00:00.000Z"}`,
		&core.SessionError{Error: core.CodeInterrupted, Message: "cut off"}:                                                                  `{"error":"interrupted","message":"cut off"}`,
	}
}

// byValue returns the payload that payload points to: the program passes payloads
// by value.
func byValue(payload core.Payload) core.Payload {
	return reflect.ValueOf(payload).Elem().Interface().(core.Payload)
}

func TestEveryEventTypeHasAPayload(t *testing.T) {
	var got []string
	for payload := range payloads() {
		got = append(got, string(payload.EventType()))
	}
	want := constantsOf(t, "event.go", "EventType")
	slices.Sort(got)
	got = slices.Compact(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got payloads for %q, want one for each of %q", got, want)
	}
}

func TestEventJSON(t *testing.T) {
	for payload, body := range payloads() {
		event := core.Event{Seq: 7, CreatedAt: 1_700_000_000_123, Payload: byValue(payload)}
		encoded, err := json.Marshal(event)
		if err != nil {
			t.Fatalf("%s: %v", payload.EventType(), err)
		}
		var got, want map[string]any
		if err := json.Unmarshal(encoded, &got); err != nil {
			t.Fatalf("%s: got %s, which is no JSON: %v", payload.EventType(), encoded, err)
		}
		if err := json.Unmarshal([]byte(body), &want); err != nil {
			t.Fatal(err)
		}
		want["type"], want["seq"], want["createdAt"] = string(payload.EventType()), 7.0, "2023-11-14T22:13:20.123Z"
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %s, want %v", payload.EventType(), encoded, want)
		}
		if slices.Contains(encoded, '\n') {
			t.Errorf("%s: got a line break in %s, want one line for the stream", payload.EventType(), encoded)
		}
	}
}

func TestStoredPayloadsComeBack(t *testing.T) {
	for payload := range payloads() {
		want := byValue(payload)
		body, err := json.Marshal(want)
		if err != nil {
			t.Fatalf("%s: %v", payload.EventType(), err)
		}
		got, err := core.DecodePayload(payload.EventType(), body)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v, want %+v", payload.EventType(), got, err, want)
		}
	}
}

func TestDecodePayloadRefusesWhatIsBroken(t *testing.T) {
	for _, c := range []struct{ kind, body string }{
		{"no.such.type", `{}`}, {"", `{}`}, {"user.message", ``}, {"user.message", `{`}, {"user.message", `[]`}, {"user.message", `{"text":1}`}, {"session.usage_info", `{"cost":"1"}`},
	} {
		if got, err := core.DecodePayload(core.EventType(c.kind), []byte(c.body)); core.CodeOf(err) != core.CodeInternal || got != nil {
			t.Errorf("%q %s: got %v, %v, want code internal", c.kind, c.body, got, err)
		}
	}
}

func TestEventWithBrokenArgumentsIsNoJSON(t *testing.T) {
	if got, err := json.Marshal(core.Event{Payload: core.ToolCall{Args: json.RawMessage(`{`)}}); err == nil {
		t.Errorf("got %s, want an error", got)
	}
}

func TestOnlyTheLastEventsEndARun(t *testing.T) {
	for payload := range payloads() {
		kind := payload.EventType()
		want := kind == core.EventTaskComplete || kind == core.EventSessionError
		if got := (core.Event{Payload: byValue(payload)}).Ends(); got != want {
			t.Errorf("%s: got %v, want %v", kind, got, want)
		}
	}
}
