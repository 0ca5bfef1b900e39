package recording_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/adapters/recording"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/dialect"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

// scripted is a model that plays the script in every call.
func scripted(script aitest.Script) *memory.Model {
	model := memory.NewModel()
	answer := memory.ModelAnswer{Chunks: script.Chunks, Usage: script.Usage, Hang: script.End == aitest.Hangs}
	switch script.End {
	case aitest.Refuses:
		answer = memory.ModelAnswer{Err: aitest.Refusal(script.Status)}
	case aitest.Broken, aitest.Complains:
		answer.Err = errors.New("the connection broke")
	}
	for range 16 {
		model.Script(answer)
	}
	return model
}

func TestARecordedProviderIsAProvider(t *testing.T) {
	aitest.Run(t, func(t *testing.T, script aitest.Script) aitest.Upstream {
		model := scripted(script)
		file := record(t, nil)
		return aitest.Upstream{
			Provider: file.Provider(core.ProviderOpenAI, model), Requests: func() int { return len(model.Requests()) },
		}
	})
}

// impatientContext is a context that ends as soon as someone waits for it.
type impatientContext struct {
	context.Context
	leave func()
}

// Done implements context.Context.
func (i impatientContext) Done() <-chan struct{} {
	i.leave()
	return i.Context.Done()
}

// player records the first request of a test as often as tests ask, then answers
// all from the recording.
type player struct {
	t      *testing.T
	script aitest.Script
	once   sync.Once
	replay *recording.Replayer
	before int
}

func (p *player) open(req ai.Request) *recording.Replayer {
	p.once.Do(func() {
		file := record(p.t, nil)
		recorded := file.Provider(core.ProviderOpenAI, scripted(p.script))
		for range 16 {
			ctx, leave := context.WithCancel(context.Background())
			if p.script.End == aitest.Hangs && len(p.script.Chunks) == 0 {
				ctx = impatientContext{ctx, leave}
			}
			heard := 0
			_, _ = recorded.Generate(ctx, req, func(ai.Chunk) error {
				if heard++; p.script.End == aitest.Hangs && heard == len(p.script.Chunks) {
					leave()
				}
				return nil
			})
			leave()
		}
		p.replay = replay(p.t, file)
		p.before = p.replay.Left()
	})
	return p.replay
}

func (p *player) Generate(ctx context.Context, req ai.Request, emit func(ai.Chunk) error) (core.Usage, error) {
	return p.open(req).Generate(ctx, req, emit)
}

func (p *player) Models(ctx context.Context) ([]core.Model, error) {
	return p.open(ask("")).Models(ctx)
}

func (p *player) requests() int {
	if p.replay == nil {
		return 0
	}
	return p.before - p.replay.Left()
}

func TestAReplayerIsAProvider(t *testing.T) {
	aitest.Run(t, func(t *testing.T, script aitest.Script) aitest.Upstream {
		p := &player{t: t, script: script}
		return aitest.Upstream{Provider: p, Requests: p.requests}
	})
	aitest.RunUnscripted(t, &player{t: t, script: aitest.Script{Chunks: []ai.Chunk{{Text: "Hello"}}}})
}

// TestTagsAreReplayedWithTheNumberOfTheNewRun records a model that calls tools in tagged
// text. The tags have another number in every run.
func TestTagsAreReplayedWithTheNumberOfTheNewRun(t *testing.T) {
	const first, second = "abc123", "0f0f0f"
	req := ask("Show me a.txt")
	req.Tools = []ai.Tool{{Name: "read_file", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)}}
	file := record(t, nil)
	model := memory.NewModel().
		Say("I look.\n\n<call-abc", "123 tool=\"read_file\">\n<arg-abc1", "23 name=\"path\">a.txt</arg-abc123>\n</call-abc123>").
		Say("It says abc12.")
	run := func(provider ai.Provider, number string) []ai.Chunk {
		t.Helper()
		talker := dialect.Tagged(provider, func() string { return number })
		heard, _, err := listen(t.Context(), talker, req)
		if err != nil || heard[len(heard)-1].Call == nil {
			t.Fatalf("got %+v and %v, want a call", heard, err)
		}
		call := *heard[len(heard)-1].Call
		next := req
		next.Messages = append(slices.Clone(req.Messages),
			ai.Message{Role: ai.RoleAssistant, Text: "I look.", Calls: []ai.Call{call}},
			ai.Message{Role: ai.RoleTool, CallID: call.ID, Tool: call.Tool, Text: "abc12"})
		more, _, err := listen(t.Context(), talker, next)
		if err != nil {
			t.Fatal(err)
		}
		call.ID = ""
		return append(append(heard[:len(heard)-1:len(heard)-1], ai.Chunk{Call: &call}), more...)
	}
	want := run(file.Provider(core.ProviderOllama, model), first)
	got := run(replay(t, file), second)
	if !reflect.DeepEqual(said(got), said(want)) {
		t.Errorf("got %q, want %q", said(got), said(want))
	}
}

// said returns the texts and calls, however they were split.
func said(chunks []ai.Chunk) string {
	var all strings.Builder
	for _, chunk := range chunks {
		all.WriteString(chunk.Text)
		if chunk.Call != nil {
			all.WriteString(chunk.Call.Tool + string(chunk.Call.Args))
		}
	}
	return all.String()
}
