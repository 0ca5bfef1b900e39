// Package demo is a provider without a model: a script that plays the main job,
// a visible change in a project. It changes a title, adds a line, and builds into an
// untouched project the applications that the studio names as examples; a guestbook it
// adds to any page. What else it is asked for it leaves alone, and says so. It works
// through the same port, tool calls and events as a model, and says in every
// answer that it is a script. It needs no network and no key, and gives the same
// answer to the same request.
package demo

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/atelierhq/atelier/adapters/internal/tokencount"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

var _ ai.Provider = (*Provider)(nil)

// ModelID is the name of the only model.
const ModelID = "demo"

// contextTokens is the declared context window of the only model. The script does not
// look further back than the newest message of the user.
const contextTokens = 32_768

// Provider is an ai.Provider.
type Provider struct{}

// New returns the provider.
func New() *Provider { return &Provider{} }

// Models implements ai.Provider.
func (p *Provider) Models(ctx context.Context) ([]core.Model, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return []core.Model{{
		ID:        ModelID,
		Abilities: core.Abilities{ContextTokens: contextTokens, Tools: true},
	}}, nil
}

// Generate implements ai.Provider. It calls no tool that the request does not offer, and
// makes no call twice in one run.
func (p *Provider) Generate(ctx context.Context, req ai.Request, emit func(ai.Chunk) error) (core.Usage, error) {
	usage := core.Usage{InputTokens: tokencount.Request(req)}
	say := func(chunk ai.Chunk) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		usage.OutputTokens += tokencount.Chunk(chunk)
		return emit(chunk)
	}
	if err := ctx.Err(); err != nil {
		return core.Usage{}, err
	}
	next := readState(req).next()
	for _, piece := range pieces(next.text) {
		if err := say(ai.Chunk{Text: piece}); err != nil {
			return usage, err
		}
	}
	if next.tool == "" {
		return usage, nil
	}
	args, err := json.Marshal(next.args)
	if err != nil {
		return usage, core.Wrap(core.CodeInternal, err, "the demo's tool call cannot be written")
	}
	// The length of the conversation makes the id unique in it.
	id := fmt.Sprintf("demo_%d", len(req.Messages))
	return usage, say(ai.Chunk{Call: &ai.Call{ID: id, Tool: next.tool, Args: args}})
}

// wordsPerPiece splits the answer into pieces of about a model's size.
const wordsPerPiece = 3

// pieces splits a text after every few words. Joined they are the text.
func pieces(text string) []string {
	var out []string
	words, begin := 0, 0
	for i, r := range text {
		if r != ' ' && r != '\n' {
			continue
		}
		if words++; words == wordsPerPiece {
			out = append(out, text[begin:i+1])
			words, begin = 0, i+1
		}
	}
	if begin < len(text) {
		out = append(out, text[begin:])
	}
	return out
}

// maxShown bounds the quoted text, in characters.
const maxShown = 120

// quoted is the text for the page in a sentence, on one line and shortened.
func (r request) quoted() string { return "“" + core.ShortenChars(r.text, maxShown) + "”" }
