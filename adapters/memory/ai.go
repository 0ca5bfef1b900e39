package memory

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/atelierhq/atelier/adapters/internal/tokencount"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

var (
	_ ai.Provider = (*Model)(nil)
	_ ai.Painter  = (*Model)(nil)
	_ ai.Factory  = (*Factory)(nil)
)

// ModelAnswer scripts one call of a Model.
type ModelAnswer struct {
	// Chunks are emitted in order. A tool call without an ID gets one.
	Chunks []ai.Chunk
	// Usage is reported at the end, even together with an error. If it is zero, the model
	// estimates four bytes a token, or reports nothing for an *ai.Failure without chunks,
	// which is a refusal.
	Usage core.Usage
	// Gate, if set, is received from before each chunk and before the end. A test sends a
	// value to release one step, and closes the channel to release all.
	Gate <-chan struct{}
	// Err ends the call after the chunks. An error without a core code becomes a
	// temporary *ai.Failure.
	Err error
	// Hang waits for the end of ctx after the chunks.
	Hang bool
}

// Model is an ai.Provider that answers from a queue of scripted answers, one for each
// call. A call without an answer fails with core.CodeModelUnavailable.
type Model struct {
	mu       sync.Mutex
	answers  []ModelAnswer
	requests []ai.Request
	called   chan struct{}
	models   []core.Model
	// painters are the models that paint, pictures the answers to their calls.
	painters  []string
	pictures  []ModelPicture
	paintings []ai.PictureRequest
}

// ModelPicture scripts one painting of a Model.
type ModelPicture struct {
	Image ai.Image
	// Usage is reported at the end, even together with an error. If it is zero, a painting
	// without an error counts one image.
	Usage core.Usage
	// Err ends the call. An error without a core code becomes a temporary *ai.Failure.
	Err error
	// Hang waits for the end of ctx.
	Hang bool
}

// NewModel returns a model with an empty queue that offers the given models.
func NewModel(models ...core.Model) *Model {
	return &Model{models: models, called: make(chan struct{}, 1)}
}

// Script appends answers to the queue and returns the model.
func (m *Model) Script(answers ...ModelAnswer) *Model {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answers = append(m.answers, answers...)
	return m
}

// Answer queues a successful answer.
func (m *Model) Answer(chunks ...ai.Chunk) *Model {
	return m.Script(ModelAnswer{Chunks: chunks})
}

// Say queues an answer with one text for each piece.
func (m *Model) Say(pieces ...string) *Model {
	chunks := make([]ai.Chunk, len(pieces))
	for i, piece := range pieces {
		chunks[i].Text = piece
	}
	return m.Answer(chunks...)
}

// Call queues an answer of one tool call. Args is raw JSON.
func (m *Model) Call(tool, args string) *Model {
	return m.Answer(ai.Chunk{Call: &ai.Call{Tool: tool, Args: json.RawMessage(args)}})
}

// Fail queues an answer that ends with err after the chunks.
func (m *Model) Fail(err error, chunks ...ai.Chunk) *Model {
	return m.Script(ModelAnswer{Err: err, Chunks: chunks})
}

// Hang queues an answer that after the chunks lasts until its context ends.
func (m *Model) Hang(chunks ...ai.Chunk) *Model {
	return m.Script(ModelAnswer{Hang: true, Chunks: chunks})
}

// Paints names the models that paint, and queues answers to their calls. A call without an answer
// fails with core.CodeModelUnavailable.
func (m *Model) Paints(models []string, pictures ...ModelPicture) *Model {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.painters, m.pictures = models, append(m.pictures, pictures...)
	return m
}

// PaintingModels implements ai.Painter.
func (m *Model) PaintingModels(ctx context.Context) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.painters), ctx.Err()
}

// Paintings returns the pictures that were asked for so far, oldest first.
func (m *Model) Paintings() []ai.PictureRequest {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.paintings)
}

// Paint implements ai.Painter.
func (m *Model) Paint(ctx context.Context, req ai.PictureRequest) (ai.Image, core.Usage, error) {
	if err := ctx.Err(); err != nil {
		return ai.Image{}, core.Usage{}, err
	}
	picture := m.nextPicture(req)
	if picture.Hang {
		<-ctx.Done()
		return ai.Image{}, picture.Usage, ctx.Err()
	}
	if picture.Err != nil {
		return ai.Image{}, picture.Usage, failed(picture.Err)
	}
	if picture.Usage == (core.Usage{}) {
		picture.Usage.Images = 1
	}
	return picture.Image, picture.Usage, nil
}

func (m *Model) nextPicture(req ai.PictureRequest) ModelPicture {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.paintings = append(m.paintings, req)
	select {
	case m.called <- struct{}{}:
	default:
	}
	if len(m.pictures) == 0 {
		return ModelPicture{Err: &ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "no scripted picture is left")}}
	}
	picture := m.pictures[0]
	m.pictures = m.pictures[1:]
	return picture
}

// Requests returns the calls so far, oldest first.
func (m *Model) Requests() []ai.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}

// Called receives a value when a call begins. Several calls may share one value.
func (m *Model) Called() <-chan struct{} { return m.called }

// Left returns how many scripted answers are still queued.
func (m *Model) Left() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.answers)
}

// Generate implements ai.Provider.
func (m *Model) Generate(ctx context.Context, req ai.Request, emit func(ai.Chunk) error) (core.Usage, error) {
	if err := ctx.Err(); err != nil {
		return core.Usage{}, err
	}
	answer, scripted := m.next(req)
	if !scripted {
		return core.Usage{}, &ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "no scripted answer is left")}
	}
	used := core.Usage{InputTokens: tokencount.Request(req)}
	said := false
	for _, chunk := range answer.Chunks {
		if err := answer.wait(ctx); err != nil {
			return answer.usage(used), err
		}
		chunk = withCallID(chunk)
		used.OutputTokens += tokencount.Chunk(chunk)
		said = said || chunk.Text != "" || chunk.Call != nil
		if err := emit(chunk); err != nil {
			return answer.usage(used), err
		}
	}
	return answer.usage(used), answer.end(ctx, said)
}

// Models implements ai.Provider.
func (m *Model) Models(ctx context.Context) ([]core.Model, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return slices.Clone(m.models), nil
}

func (m *Model) next(req ai.Request) (ModelAnswer, bool) {
	req.Messages = slices.Clone(req.Messages)
	req.Tools = slices.Clone(req.Tools)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = append(m.requests, req)
	select {
	case m.called <- struct{}{}:
	default:
	}
	if len(m.answers) == 0 {
		return ModelAnswer{}, false
	}
	answer := m.answers[0]
	m.answers = m.answers[1:]
	return answer, true
}

// wait waits for the gate.
func (a ModelAnswer) wait(ctx context.Context) error {
	if a.Gate != nil {
		select {
		case <-a.Gate:
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}

func (a ModelAnswer) usage(estimate core.Usage) core.Usage {
	var refusal *ai.Failure
	switch {
	case a.Usage != (core.Usage{}):
		return a.Usage
	case len(a.Chunks) == 0 && errors.As(a.Err, &refusal):
		return core.Usage{}
	}
	return estimate
}

// end returns the result of the answer.
func (a ModelAnswer) end(ctx context.Context, said bool) error {
	if err := a.wait(ctx); err != nil {
		return err
	}
	if a.Hang {
		<-ctx.Done()
		return ctx.Err()
	}
	switch {
	case a.Err == nil && !said:
		return &ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "the model gave an empty answer"), Empty: true}
	case a.Err == nil:
		return nil
	}
	return failed(a.Err)
}

// failed returns a scripted error as a provider would.
func failed(err error) error {
	var coded *core.Error
	if errors.As(err, &coded) {
		return err
	}
	return &ai.Failure{Err: core.Wrap(core.CodeModelUnavailable, err, "the model failed"), Temporary: true}
}

func withCallID(chunk ai.Chunk) ai.Chunk {
	if chunk.Call == nil || chunk.Call.ID != "" {
		return chunk
	}
	call := *chunk.Call
	call.ID = "call_" + string(core.NewID())
	return ai.Chunk{Call: &call}
}

// Factory is an ai.Factory that hands out given providers by kind.
type Factory struct {
	mu        sync.Mutex
	providers map[core.ProviderKind]ai.Provider
	opened    []ai.Settings
}

// NewFactory returns a factory for the given providers. It keeps its own copy of
// the map.
func NewFactory(providers map[core.ProviderKind]ai.Provider) *Factory {
	return &Factory{providers: maps.Clone(providers)}
}

// Kinds implements ai.Factory: Atelier's own kinds and those that have a provider here. A
// kind without a provider is refused when it is opened, so that records of every kind can
// be tested.
func (f *Factory) Kinds() []core.ProviderKind {
	kinds := append(slices.Collect(maps.Keys(f.providers)), core.ProviderOllama, core.ProviderOpenAI, core.ProviderResponses, core.ProviderAnthropic, core.ProviderDemo)
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// Open implements ai.Factory. A kind without a provider has code
// core.CodeValidationFailed.
func (f *Factory) Open(settings ai.Settings) (ai.Provider, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opened = append(f.opened, settings)
	provider, known := f.providers[settings.Kind]
	if !known {
		return nil, core.Errorf(core.CodeValidationFailed, "there is no provider of kind %q", settings.Kind)
	}
	return provider, nil
}

// Opened returns the settings of every Open so far, oldest first.
func (f *Factory) Opened() []ai.Settings {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.opened)
}
