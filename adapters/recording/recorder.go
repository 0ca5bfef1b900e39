package recording

import (
	"context"
	"errors"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

var (
	_ ai.Factory  = (*factory)(nil)
	_ ai.Provider = (*recorder)(nil)
)

// Factory returns a factory whose providers are those of next, recorded. Of the settings
// only the kind is recorded.
func (f *File) Factory(next ai.Factory) ai.Factory { return &factory{f, next} }

// Provider returns next, recorded. kind names it in the file. Problems with the file
// never affect the calls of the provider.
func (f *File) Provider(kind core.ProviderKind, next ai.Provider) ai.Provider {
	return &recorder{f, kind, next}
}

type factory struct {
	file *File
	next ai.Factory
}

// Kinds implements ai.Factory.
func (f *factory) Kinds() []core.ProviderKind { return f.next.Kinds() }

// Open implements ai.Factory.
func (f *factory) Open(settings ai.Settings) (ai.Provider, error) {
	opened, err := f.next.Open(settings)
	if err != nil {
		return nil, err
	}
	return f.file.Provider(settings.Kind, opened), nil
}

type recorder struct {
	file *File
	kind core.ProviderKind
	next ai.Provider
}

// Generate implements ai.Provider. The exchange is written when the call has ended.
func (r *recorder) Generate(ctx context.Context, req ai.Request, emit func(ai.Chunk) error) (core.Usage, error) {
	began := r.file.config.Now()
	made := exchange{Chunks: []chunk{}}
	var refused error
	used, err := r.next.Generate(ctx, req, func(said ai.Chunk) error {
		made.Chunks = append(made.Chunks, chunkOf(said, r.file.config.Now().Sub(began)))
		refused = emit(said)
		return refused
	})
	made.call = r.ended(ctx, kindExchange, began, err)
	if refused != nil && errors.Is(err, refused) && ctx.Err() == nil {
		made.End = end{How: howSink}
	}
	made.Request = requestOf(req, r.file.config.Images)
	made.Usage = usage(used)
	r.file.write(ctx, made)
	return used, err
}

// Models implements ai.Provider.
func (r *recorder) Models(ctx context.Context) ([]core.Model, error) {
	began := r.file.config.Now()
	models, err := r.next.Models(ctx)
	r.file.write(ctx, modelList{r.ended(ctx, kindModels, began, err), models})
	return models, err
}

// Window implements ai.WindowReporter. Nothing is recorded of it, and nothing told by a provider that is no
// reporter.
func (r *recorder) Window(ctx context.Context, model string) (ai.Window, error) {
	if windowed, is := r.next.(ai.WindowReporter); is {
		return windowed.Window(ctx, model)
	}
	return ai.Window{}, ctx.Err()
}

// Load implements ai.Loader. A provider that is none loads nothing.
func (r *recorder) Load(ctx context.Context, model string) error {
	if loader, is := r.next.(ai.Loader); is {
		return loader.Load(ctx, model)
	}
	return ctx.Err()
}

// ended describes a call that returned err.
func (r *recorder) ended(ctx context.Context, kind string, began time.Time, err error) call {
	out := call{Kind: kind, Provider: r.kind, At: core.At(began), Ms: r.file.config.Now().Sub(began).Milliseconds()}
	switch {
	case err == nil:
		out.End = end{How: howDone}
	case ctx.Err() != nil:
		out.End = end{How: howLeft}
	default:
		out.End = failureOf(err)
	}
	return out
}
