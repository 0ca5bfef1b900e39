package memory_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

func TestModel(t *testing.T) {
	aitest.Run(t, func(_ *testing.T, script aitest.Script) aitest.Upstream {
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
		return aitest.Upstream{Provider: model, Requests: func() int { return len(model.Requests()) }}
	})
}

func TestPainter(t *testing.T) {
	aitest.RunPainter(t, func(_ *testing.T, script aitest.PaintScript) aitest.Easel {
		picture := memory.ModelPicture{Image: ai.Image{MediaType: "image/png", Data: script.Image}, Usage: script.Usage, Hang: script.End == aitest.Hangs}
		if script.End == aitest.Refuses {
			picture.Err = aitest.Refusal(script.Status)
		}
		model := memory.NewModel().Paints(script.Models, picture)
		return aitest.Easel{Painter: model, Requests: func() int { return len(model.Paintings()) }}
	})
}

func TestModelFailsWithoutAnAnswer(t *testing.T) {
	model := memory.NewModel().Say("one")
	for i, want := range []core.Code{"", core.CodeModelUnavailable} {
		_, err := model.Generate(t.Context(), ai.Request{}, func(ai.Chunk) error { return nil })
		if core.CodeOf(err) != want {
			t.Errorf("call %d: got %v, want code %q", i, err, want)
		}
	}
}

func TestModelKeepsRequests(t *testing.T) {
	model := memory.NewModel().Call("read_file", `{"path":"a"}`)
	req := ai.Request{Model: "m", Messages: []ai.Message{{Role: ai.RoleUser, Text: "before"}}}
	if _, err := model.Generate(t.Context(), req, func(ai.Chunk) error { return nil }); err != nil {
		t.Fatal(err)
	}
	req.Messages[0].Text = "after"
	<-model.Called()
	if got := model.Requests()[0].Messages[0].Text; got != "before" {
		t.Errorf("request: got %q, want %q", got, "before")
	}
	if model.Left() != 0 {
		t.Errorf("answers left: got %d, want 0", model.Left())
	}
}

func TestModelWaitsAtItsGate(t *testing.T) {
	gate := make(chan struct{})
	model := memory.NewModel().Script(memory.ModelAnswer{Chunks: []ai.Chunk{{Text: "one"}, {Text: "two"}}, Gate: gate})
	ctx, cancel := context.WithCancel(t.Context())
	heard := make(chan string, 2)
	done := make(chan error, 1)
	go func() {
		_, err := model.Generate(ctx, ai.Request{}, func(chunk ai.Chunk) error {
			heard <- chunk.Text
			return nil
		})
		done <- err
	}()
	gate <- struct{}{}
	if got := <-heard; got != "one" {
		t.Errorf("first chunk: got %q, want %q", got, "one")
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error: got %v, want %v", err, context.Canceled)
	}
	if len(heard) > 0 {
		t.Errorf("after the end: got %q, want nothing", <-heard)
	}
}

func TestModelPassesArgumentsThrough(t *testing.T) {
	args := json.RawMessage(`"no object"`)
	model := memory.NewModel().Call("anything", string(args))
	_, err := model.Generate(t.Context(), ai.Request{}, func(chunk ai.Chunk) error {
		if string(chunk.Call.Args) != string(args) {
			t.Errorf("arguments: got %s, want %s", chunk.Call.Args, args)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFactory(t *testing.T) {
	model := memory.NewModel()
	factory := memory.NewFactory(map[core.ProviderKind]ai.Provider{core.ProviderOllama: model})
	settings := ai.Settings{Kind: core.ProviderOllama, BaseURL: "http://gpu:11434"}
	if got, err := factory.Open(settings); err != nil || got != ai.Provider(model) {
		t.Errorf("Open: got %v and %v, want the model", got, err)
	}
	if _, err := factory.Open(ai.Settings{Kind: core.ProviderOpenAI}); !core.IsCode(err, core.CodeValidationFailed) {
		t.Errorf("Open of another kind: got %v, want %s", err, core.CodeValidationFailed)
	}
	if got := factory.Opened(); len(got) != 2 || got[0] != settings {
		t.Errorf("Opened: got %+v, want both settings", got)
	}
}
