// Package aitest tests an ai.Provider against its port, and plays the vendor's side of a call.
package aitest

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// Key is the key with which a provider that has one is opened.
const Key = "sk-aitest-4fd1c2b3a5968778"

// patience is how long a test waits for something that should happen at once.
const patience = 2 * time.Minute

// Run tests an ai.Provider against its contract. open returns one whose
// vendor plays the script in every call.
func Run(t *testing.T, open func(t *testing.T, script Script) Upstream) {
	clauses := []struct {
		name  string
		check func(t *testing.T, open func(t *testing.T, script Script) Upstream)
	}{
		{"chunks arrive whole and in order", keepsOrder},
		{"a tool call without an id gets one of its own", makesIDs},
		{"usage is what the vendor counted", tellsUsage},
		{"an error of the sink ends the call and closes upstream", obeysSink},
		{"the end of the context ends the call and closes upstream", obeysContext},
		{"a deadline ends the call", obeysDeadline},
		{"a context that has ended reaches no vendor", refusesEndedContext},
		{"a refusal is model_unavailable, says what may help and is not retried", reportsRefusals},
		{"a stream without its last word is temporary and is not retried", reportsBreaks},
		{"an error inside the stream is reported", reportsComplaints},
		{"an answer without text or tool calls is empty", reportsEmptiness},
		{"many goroutines may call at once", servesMany},
		{"an answer to a schema is text", answersSchema},
		{"the request is not changed", keepsRequest},
	}
	for _, clause := range clauses {
		t.Run(clause.name, func(t *testing.T) { clause.check(t, open) })
	}
}

// RunUnscripted holds an ai.Provider whose vendor plays no script to
// the clauses of the contract that need none.
func RunUnscripted(t *testing.T, provider ai.Provider) {
	open := func(*testing.T, Script) Upstream {
		return Upstream{Provider: provider, Requests: func() int { return 0 }}
	}
	clauses := []struct {
		name  string
		check func(t *testing.T, open func(t *testing.T, script Script) Upstream)
	}{
		{"every call has an answer, and its chunks one field each", answers},
		{"an error of the sink ends the call", obeysSink},
		{"a context that has ended gets no answer", refusesEndedContext},
		{"the request is not changed", keepsRequest},
	}
	for _, clause := range clauses {
		t.Run(clause.name, func(t *testing.T) { clause.check(t, open) })
	}
}

func answers(t *testing.T, open func(t *testing.T, script Script) Upstream) {
	provider := open(t, Script{}).Provider
	chunks, usage, err := listen(t.Context(), provider)
	if err != nil || len(chunks) == 0 {
		t.Fatalf("Generate: got %d chunks and %v, want some and no error", len(chunks), err)
	}
	for _, chunk := range chunks {
		if fields := fields(chunk); fields != 1 {
			t.Errorf("chunk %+v: got %d fields set, want 1", chunk, fields)
		}
	}
	if usage.InputTokens <= 0 || usage.OutputTokens <= 0 {
		t.Errorf("usage: got %+v, want some of both", usage)
	}
	models, err := provider.Models(t.Context())
	if err != nil || len(models) == 0 || models[0].ID == "" {
		t.Errorf("Models: got %+v and %v, want at least one", models, err)
	}
}

// conversation has a call, its result and tools: all that a request can hold
// but pictures.
func conversation() ai.Request {
	return ai.Request{
		Model:  "model-1",
		System: "You build web pages.",
		Messages: []ai.Message{
			{Role: ai.RoleUser, Text: "Make the title blue."},
			{Role: ai.RoleAssistant, Text: "I look.", Calls: []ai.Call{
				{ID: "call_0", Tool: "read_file", Args: json.RawMessage(`{"path":"index.html"}`)},
			}},
			{Role: ai.RoleTool, CallID: "call_0", Tool: "read_file", Text: "no such file", Failed: true},
		},
		Tools: []ai.Tool{{
			Name: "read_file", Description: "Reads a file.",
			Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`),
		}},
		MaxTokens:     500,
		ContextTokens: 8192,
	}
}

func call(id, tool, args string) ai.Chunk {
	return ai.Chunk{Call: &ai.Call{ID: id, Tool: tool, Args: json.RawMessage(args)}}
}

// listen calls the provider and returns what it emitted.
func listen(ctx context.Context, provider ai.Provider) ([]ai.Chunk, core.Usage, error) {
	var heard []ai.Chunk
	usage, err := provider.Generate(ctx, conversation(), func(chunk ai.Chunk) error {
		heard = append(heard, chunk)
		return nil
	})
	return heard, usage, err
}

func keepsOrder(t *testing.T, open func(t *testing.T, script Script) Upstream) {
	want := []ai.Chunk{
		{Reasoning: "The user wants "}, {Reasoning: "blue."},
		{Text: "Grüße, "}, {Text: "世界 👩‍👩‍👧\n"}, {Text: "```\"quoted\"```"},
		call("call_1", "read_file", `{"path":"src/App.tsx"}`),
		call("call_2", "write_file", `{"path":"a \"b\".html","content":"<h1 class=\"x\">{}\\n</h1>\n","n":[1,{"ü":null}]}`),
	}
	upstream := open(t, Script{Chunks: want, Usage: core.Usage{InputTokens: 9, OutputTokens: 7}})
	got, _, err := listen(t.Context(), upstream.Provider)
	if err != nil {
		t.Fatalf("Generate: got %v, want no error", err)
	}
	for _, chunk := range got {
		if fields := fields(chunk); fields != 1 {
			t.Errorf("chunk %+v: got %d fields set, want 1", chunk, fields)
		}
	}
	// A vendor may sign thoughts.
	got = slices.DeleteFunc(got, func(chunk ai.Chunk) bool { return chunk.Signed != nil })
	if got, want := transcript(t, got), transcript(t, want); !reflect.DeepEqual(got, want) {
		t.Errorf("chunks: got %q, want %q", got, want)
	}
	if upstream.Requests() != 1 {
		t.Errorf("requests: got %d, want 1", upstream.Requests())
	}
}

func fields(chunk ai.Chunk) int {
	fields := 0
	for _, set := range []bool{chunk.Text != "", chunk.Reasoning != "", chunk.Signed != nil, chunk.Call != nil, chunk.Cut} {
		if set {
			fields++
		}
	}
	return fields
}

// transcript writes chunks so that those which differ only in where a text was
// cut, or in the order of a call's members, are equal.
func transcript(t *testing.T, chunks []ai.Chunk) []string {
	t.Helper()
	var lines []string
	kind := ""
	add := func(next, text string) {
		if next != kind || next == "call" || next == "signed" {
			lines = append(lines, next+":")
		}
		kind = next
		lines[len(lines)-1] += text
	}
	for _, chunk := range chunks {
		switch {
		case chunk.Call != nil:
			add("call", chunk.Call.ID+" "+chunk.Call.Tool+" "+sortedArgs(t, chunk.Call.Args))
		case chunk.Signed != nil:
			add("signed", chunk.Signed.Signature)
		case chunk.Reasoning != "":
			add("reasoning", chunk.Reasoning)
		case chunk.Cut:
			add("cut", "")
		default:
			add("text", chunk.Text)
		}
	}
	return lines
}

func sortedArgs(t *testing.T, args json.RawMessage) string {
	t.Helper()
	var value any
	if err := json.Unmarshal(args, &value); err != nil {
		t.Fatalf("arguments %q: got %v, want JSON", args, err)
	}
	var sorted strings.Builder
	encoder := json.NewEncoder(&sorted)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(sorted.String())
}

func makesIDs(t *testing.T, open func(t *testing.T, script Script) Upstream) {
	upstream := open(t, Script{Chunks: []ai.Chunk{
		call("", "read_file", `{"path":"a"}`), call("", "list_files", `{"path":"b"}`),
	}})
	got, _, err := listen(t.Context(), upstream.Provider)
	if err != nil || len(got) != 2 {
		t.Fatalf("Generate: got %d chunks and %v, want 2 and no error", len(got), err)
	}
	first, second := got[0].Call.ID, got[1].Call.ID
	if first == "" || second == "" || first == second {
		t.Errorf("ids: got %q and %q, want two different ones", first, second)
	}
}

func tellsUsage(t *testing.T, open func(t *testing.T, script Script) Upstream) {
	want := core.Usage{InputTokens: 1234, OutputTokens: 56}
	_, got, err := listen(t.Context(), open(t, Script{Chunks: []ai.Chunk{{Text: "Hello."}}, Usage: want}).Provider)
	if err != nil || got.InputTokens != want.InputTokens || got.OutputTokens != want.OutputTokens {
		t.Errorf("usage: got %+v and %v, want %+v and no error", got, err, want)
	}
	if got.CachedTokens < 0 || got.WrittenTokens < 0 || got.CachedTokens+got.WrittenTokens > got.InputTokens {
		t.Errorf("usage: got %+v, want the cached tokens to be part of the input", got)
	}
}

func obeysSink(t *testing.T, open func(t *testing.T, script Script) Upstream) {
	upstream := open(t, Script{Chunks: []ai.Chunk{{Text: "one"}, {Text: "two"}}, End: Hangs})
	full := errors.New("the sink is full")
	emitted := 0
	usage, err := upstream.Provider.Generate(t.Context(), conversation(), func(ai.Chunk) error {
		emitted++
		return full
	})
	if !errors.Is(err, full) {
		t.Errorf("error: got %v, want the sink's", err)
	}
	if emitted != 1 {
		t.Errorf("emitted: got %d chunks, want 1", emitted)
	}
	if usage.InputTokens <= 0 {
		t.Errorf("usage beside the error: got %+v, want what was used so far", usage)
	}
	waitLeft(t, upstream)
}

func waitLeft(t *testing.T, upstream Upstream) {
	t.Helper()
	if upstream.Left == nil {
		return
	}
	select {
	case <-upstream.Left:
	case <-time.After(patience):
		t.Error("the upstream call is still open")
	}
}

func obeysContext(t *testing.T, open func(t *testing.T, script Script) Upstream) {
	upstream := open(t, Script{Chunks: []ai.Chunk{{Text: "one"}, {Text: "two"}, {Text: "three"}}, End: Hangs})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		emitted := 0
		_, err := upstream.Provider.Generate(ctx, conversation(), func(ai.Chunk) error {
			if emitted++; emitted > 1 {
				t.Error("emitted a chunk after the context ended")
			}
			cancel()
			return nil
		})
		done <- err
	}()
	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) || isFailure(err) {
			t.Errorf("error: got %v, want %v and no failure of the vendor", err, context.Canceled)
		}
	case <-time.After(patience):
		t.Fatal("the call goes on after its context ended")
	}
	waitLeft(t, upstream)
}

func obeysDeadline(t *testing.T, open func(t *testing.T, script Script) Upstream) {
	upstream := open(t, Script{End: Hangs})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, _, err := listen(ctx, upstream.Provider); !errors.Is(err, context.DeadlineExceeded) || isFailure(err) {
		t.Errorf("error: got %v, want %v and no failure of the vendor", err, context.DeadlineExceeded)
	}
}

func isFailure(err error) bool {
	var failure *ai.Failure
	return errors.As(err, &failure)
}

func refusesEndedContext(t *testing.T, open func(t *testing.T, script Script) Upstream) {
	upstream := open(t, Script{Chunks: []ai.Chunk{{Text: "one"}}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	chunks, _, err := listen(ctx, upstream.Provider)
	if !errors.Is(err, context.Canceled) || len(chunks) > 0 {
		t.Errorf("Generate: got %d chunks and %v, want none and %v", len(chunks), err, context.Canceled)
	}
	if _, err := upstream.Provider.Models(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Models: got %v, want %v", err, context.Canceled)
	}
	if upstream.Requests() != 0 {
		t.Errorf("requests: got %d, want 0", upstream.Requests())
	}
}

func servesMany(t *testing.T, open func(t *testing.T, script Script) Upstream) {
	want := []ai.Chunk{{Text: "one "}, {Text: "two"}, call("call_1", "read_file", `{"path":"a"}`)}
	provider := open(t, Script{Chunks: want}).Provider
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			got, _, err := listen(t.Context(), provider)
			if err != nil || len(got) != len(want) {
				t.Errorf("got %d chunks and %v, want %d and no error", len(got), err, len(want))
			}
		})
	}
	group.Wait()
}

func answersSchema(t *testing.T, open func(t *testing.T, script Script) Upstream) {
	want := []ai.Chunk{{Text: `{"title":`}, {Text: `"blue"}`}}
	provider := open(t, Script{Chunks: want}).Provider
	req := conversation()
	req.Tools, req.Schema = nil, json.RawMessage(`{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}`)
	var got []ai.Chunk
	_, err := provider.Generate(t.Context(), req, func(chunk ai.Chunk) error {
		got = append(got, chunk)
		return nil
	})
	if got, want := transcript(t, got), transcript(t, want); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %q and %v, want %q", got, err, want)
	}
}

func keepsRequest(t *testing.T, open func(t *testing.T, script Script) Upstream) {
	provider := open(t, Script{Chunks: []ai.Chunk{{Text: "one"}}}).Provider
	req := conversation()
	if _, err := provider.Generate(t.Context(), req, func(ai.Chunk) error { return nil }); err != nil {
		t.Fatalf("Generate: got %v, want no error", err)
	}
	if !reflect.DeepEqual(req, conversation()) {
		t.Errorf("request: got %+v after the call, want it unchanged", req)
	}
}
