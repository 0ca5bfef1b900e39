package dialect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// Bounds of a probe.
const (
	// MaxProbeCalls bounds the model calls of a probe.
	MaxProbeCalls = 4
	// probeTokens bounds each answer. It leaves room for a model that thinks first.
	probeTokens = 512
	// nativeTries is how often a model is asked for a native call: small ones do not
	// always succeed at once.
	nativeTries = 2
)

// Finding is the result of a probe.
type Finding struct {
	// Tools says that the model called a tool natively, with the right argument;
	// Schema that it answered in a schema; Thinking that it returned its reasoning.
	Tools, Schema, Thinking bool
	// Dialect is the one to use. It is tagged if the server refused tools or if only
	// tagged text worked, else native, also if neither worked.
	Dialect core.Dialect
}

// Probe finds out what a model can do, in at most MaxProbeCalls small calls with the
// given window. It returns their usage, also with an error. A refusal of a feature is
// a finding. A failure that says nothing about the model is an error, such as a rate
// limit, a wrong key or a server that does not answer.
func Probe(ctx context.Context, provider ai.Provider, model string, window int, nonce func() string) (Finding, core.Usage, error) {
	p := &probe{provider: provider, model: model, window: window, nonce: nonce}
	err := p.run(ctx)
	return p.found, p.used, err
}

type probe struct {
	provider ai.Provider
	model    string
	window   int
	nonce    func() string
	found    Finding
	used     core.Usage
}

func (p *probe) run(ctx context.Context) error {
	p.found.Dialect = core.DialectNative
	refused, err := p.askNative(ctx)
	if err != nil {
		return err
	}
	if !p.found.Tools {
		works, err := p.askForCall(ctx, Tagged(p.provider, p.nonce))
		if err != nil && !isEmpty(err) {
			return err
		}
		if works || refused {
			p.found.Dialect = core.DialectTagged
		}
	}
	p.found.Schema, err = p.askForSchema(ctx)
	return err
}

// askNative finds out whether the model calls a tool natively. refused says that the
// server does not accept tools.
func (p *probe) askNative(ctx context.Context) (refused bool, err error) {
	for range nativeTries {
		p.found.Tools, err = p.askForCall(ctx, Cleaned(p.provider))
		switch {
		case p.found.Tools:
			return false, nil
		case err == nil, isEmpty(err):
		case isRefusal(err):
			return true, nil
		default:
			return false, err
		}
	}
	return false, nil
}

// isEmpty reports whether the model's answer was empty, as from Ollama if the model
// wrote an unreadable call.
func isEmpty(err error) bool {
	var failure *ai.Failure
	return errors.As(err, &failure) && failure.Empty
}

// isRefusal reports whether the server refused the kind of request, as opposed to a
// failure of the server, its load or the key.
func isRefusal(err error) bool {
	var failure *ai.Failure
	return errors.As(err, &failure) && (failure.NoTools || failure.NoSchema || !failure.Temporary && !failure.Refused && !failure.Empty)
}

// probeTool is the tool of the probe.
var probeTool = ai.Tool{
	Name: "report", Description: "Reports a code word.",
	Parameters: json.RawMessage(`{"type":"object","properties":{"code":{"type":"string","description":"The code word, unchanged."}},"required":["code"],"additionalProperties":false}`),
}

// askForCall reports whether the model makes the one call that it is asked for.
func (p *probe) askForCall(ctx context.Context, provider ai.Provider) (bool, error) {
	code := "code-" + p.nonce()
	called := false
	err := p.ask(ctx, provider, ai.Request{
		System: "You test a connection. Do exactly what you are asked for, and nothing else.",
		Messages: []ai.Message{{
			Role: ai.RoleUser, Text: fmt.Sprintf("Call the tool report now. Its argument code must be %s.", code),
		}},
		Tools: []ai.Tool{probeTool},
	}, func(chunk ai.Chunk) {
		if chunk.Call == nil || chunk.Call.Broken != "" || chunk.Call.Tool != probeTool.Name {
			return
		}
		var given struct{ Code string }
		args, _ := Args(chunk.Call.Args)
		called = called || json.Unmarshal(args, &given) == nil && strings.TrimSpace(given.Code) == code
	})
	return called && err == nil, err
}

// probeSchema is the schema of the probe. The prompt does not mention JSON, so that
// only a server that enforces the schema returns it.
const probeSchema = `{"type":"object","properties":{"nonce":{"type":"string"}},"required":["nonce"],"additionalProperties":false}`

// askForSchema reports whether the model answers in a schema.
func (p *probe) askForSchema(ctx context.Context) (bool, error) {
	code := "code-" + p.nonce()
	var said strings.Builder
	err := p.ask(ctx, p.provider, ai.Request{
		Messages: []ai.Message{{Role: ai.RoleUser, Text: fmt.Sprintf("The nonce is %s. What is the nonce?", code)}},
		Schema:   json.RawMessage(probeSchema),
	}, func(chunk ai.Chunk) { said.WriteString(chunk.Text) })
	if err != nil {
		if isRefusal(err) || isEmpty(err) {
			err = nil
		}
		return false, err
	}
	var answer map[string]string
	return json.Unmarshal([]byte(said.String()), &answer) == nil && len(answer) == 1 && strings.Contains(answer["nonce"], code), nil
}

// ask makes one call.
func (p *probe) ask(ctx context.Context, provider ai.Provider, req ai.Request, take func(ai.Chunk)) error {
	req.Model, req.MaxTokens, req.ContextTokens = p.model, probeTokens, p.window
	used, err := provider.Generate(ctx, req, func(chunk ai.Chunk) error {
		p.found.Thinking = p.found.Thinking || chunk.Reasoning != ""
		take(chunk)
		return nil
	})
	p.used = p.used.Plus(used)
	return err
}
