package dialect_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/dialect"
	"github.com/atelierhq/atelier/ports/ai"
)

// subject is a model that can do some things.
type subject struct {
	ai.Provider
	native, ignoresTools, tagged, schema, ignoresSchema, thinks, forgetful, lies bool
	fail                                                                         error
	requests                                                                     []ai.Request
}

var (
	codeWord  = regexp.MustCompile(`code-[0-9a-f]+`)
	tagNumber = regexp.MustCompile(`<call-([0-9a-f]+) `)
)

func refusalOf(tools, schema bool) error {
	return &ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "bad request (400)"), NoTools: tools, NoSchema: schema}
}

func (s *subject) Generate(ctx context.Context, req ai.Request, emit func(ai.Chunk) error) (core.Usage, error) {
	s.requests = append(s.requests, req)
	used := core.Usage{InputTokens: 10, OutputTokens: 5}
	if s.fail != nil {
		return used, s.fail
	}
	if s.thinks {
		if err := emit(ai.Chunk{Reasoning: "hm"}); err != nil {
			return used, err
		}
	}
	code := codeWord.FindString(req.Messages[0].Text)
	if s.lies {
		code = "code-1"
	}
	switch {
	case len(req.Tools) > 0 && s.native:
		if s.forgetful && len(s.requests) == 1 {
			return used, &ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "nothing"), Empty: true}
		}
		return used, emit(ai.Chunk{Call: &ai.Call{ID: "1", Tool: req.Tools[0].Name, Args: []byte(`{"code":"` + code + `"}`)}})
	case len(req.Tools) > 0 && !s.ignoresTools:
		return used, refusalOf(false, false)
	case req.Schema != nil && s.schema:
		return used, emit(ai.Chunk{Text: `{"nonce": "` + code + `"}` + "\n"})
	case req.Schema != nil && !s.ignoresSchema:
		return used, refusalOf(false, true)
	case strings.Contains(req.System, "<call-") && s.tagged:
		number := tagNumber.FindStringSubmatch(req.System)[1]
		return used, emit(ai.Chunk{Text: fmt.Sprintf("<call-%s tool=\"report\"><arg-%[1]s name=\"code\">%s</arg-%[1]s></call-%[1]s>", number, code)})
	}
	return used, emit(ai.Chunk{Text: "The code is " + code + "."})
}

func TestAProbeFindsOutWhatAModelCanDo(t *testing.T) {
	native, tagged := core.DialectNative, core.DialectTagged
	for name, c := range map[string]struct {
		model subject
		want  dialect.Finding
		calls int
	}{
		"everything":                  {subject{native: true, schema: true, thinks: true}, dialect.Finding{Tools: true, Schema: true, Thinking: true, Dialect: native}, 2},
		"tools at the second try":     {subject{native: true, forgetful: true}, dialect.Finding{Tools: true, Dialect: native}, 3},
		"tagged text alone":           {subject{tagged: true}, dialect.Finding{Dialect: tagged}, 3},
		"tools are passed over":       {subject{ignoresTools: true, tagged: true, schema: true}, dialect.Finding{Schema: true, Dialect: tagged}, 4},
		"a schema alone":              {subject{schema: true}, dialect.Finding{Schema: true, Dialect: tagged}, 3},
		"a schema is passed over":     {subject{native: true, ignoresSchema: true}, dialect.Finding{Tools: true, Dialect: native}, 2},
		"nothing at all":              {subject{ignoresTools: true, ignoresSchema: true}, dialect.Finding{Dialect: native}, 4},
		"answers that are not to it":  {subject{native: true, tagged: true, schema: true, lies: true}, dialect.Finding{Dialect: native}, 4},
		"silent refusals of anything": {subject{}, dialect.Finding{Dialect: tagged}, 3},
	} {
		got, used, err := dialect.Probe(t.Context(), &c.model, "m", 4096, dialect.Nonce)
		if err != nil || got != c.want || len(c.model.requests) != c.calls {
			t.Errorf("%s: got %+v in %d calls, %v, want %+v in %d", name, got, len(c.model.requests), err, c.want, c.calls)
		}
		if want := int64(10 * c.calls); used.InputTokens != want || c.calls > dialect.MaxProbeCalls {
			t.Errorf("%s: got %+v used in %d calls, want all of them counted", name, used, c.calls)
		}
		for _, req := range c.model.requests {
			if req.Model != "m" || req.ContextTokens != 4096 || req.MaxTokens == 0 || req.MaxTokens > 1024 {
				t.Errorf("%s: got the request %+v, want it small, and with the window of a run", name, req)
			}
		}
	}
}

func TestAProbeThatFindsNothingOutIsAnError(t *testing.T) {
	for name, failure := range map[string]error{
		"a rate limit": &ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "slow down"), Temporary: true},
		"a wrong key":  &ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "refused the key"), Refused: true},
		"the end":      context.Canceled,
		"no model":     refusalOf(false, false),
	} {
		model := &subject{fail: failure}
		if _, used, err := dialect.Probe(t.Context(), model, "m", 0, dialect.Nonce); !errors.Is(err, failure) || used.InputTokens == 0 {
			t.Errorf("%s: got %v, %+v, want the error, and what was used", name, err, used)
		}
	}
}
