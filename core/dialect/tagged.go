package dialect

import (
	"context"
	"errors"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

var _ ai.Provider = (*taggedProvider)(nil)

// taggedProvider is the decorator that Tagged returns.
type taggedProvider struct {
	ai.Provider
	nonces *nonces
}

// Tagged returns a decorator of provider for a model without native tools. It
// describes the tools in the system prompt, writes calls and results as tagged text,
// and returns tagged text of the model as calls. Text outside of tags is passed on
// at once. A call with wrong tags or without an end is returned as a broken call.
//
// nonce makes the numbers of the tags of requests that name no conversation. The provider
// keeps one as long as the conversation does not contain it, so a provider serves one run.
func Tagged(provider ai.Provider, nonce func() string) ai.Provider {
	return &taggedProvider{Provider: provider, nonces: &nonces{make: nonce}}
}

// errPlaysBoth ends an answer in which the model writes the result of its own call.
var errPlaysBoth = errors.New("the model writes the results itself")

// Generate implements ai.Provider.
func (t *taggedProvider) Generate(ctx context.Context, req ai.Request, emit func(ai.Chunk) error) (core.Usage, error) {
	if !speaksOfTools(req) {
		return t.Provider.Generate(ctx, req, emit)
	}
	nonce := t.nonces.next(req)
	said := false
	parser := newParser(nonce, req.Tools, func(chunk ai.Chunk) error {
		said = said || chunk.Call != nil || strings.TrimSpace(chunk.Text) != ""
		return emit(chunk)
	})
	usage, err := t.Provider.Generate(ctx, render(req, nonce), func(chunk ai.Chunk) error {
		if chunk.Text == "" {
			return emit(chunk)
		}
		return parser.write(chunk.Text)
	})
	if err != nil && !errors.Is(err, errPlaysBoth) {
		return usage, err
	}
	if err := parser.close(); err != nil {
		return usage, err
	}
	if err != nil && !said {
		return usage, errEmpty()
	}
	return usage, nil
}

// errEmpty is the failure of an answer without text and calls.
func errEmpty() *ai.Failure {
	return &ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "the model gave an empty answer"), Empty: true}
}

// speaksOfTools reports whether anything in the request needs tags.
func speaksOfTools(req ai.Request) bool {
	if len(req.Tools) > 0 {
		return true
	}
	for _, message := range req.Messages {
		if message.Role == ai.RoleTool || len(message.Calls) > 0 {
			return true
		}
	}
	return false
}
