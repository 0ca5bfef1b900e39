package ollama

import (
	"context"
	"strconv"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// Servers before 0.13 do not know "truncate": false and silently drop the oldest part of
// a prompt that is too long. Their reported token count reveals it.

// minWords is how many words a prompt must have to be checked: the estimate is too rough
// for shorter ones, which are not truncated either.
const minWords = 1000

// checkWhole returns a Failure if the server cannot have read the whole prompt. counted
// is the number of tokens that it reports, 0 if it reports none. In doubt there is no
// failure.
func (p *Provider) checkWhole(ctx context.Context, req ai.Request, counted int) error {
	if counted == 0 {
		return nil
	}
	words, newest := wordsOf(req)
	window := req.ContextTokens
	full := window > 0 && (counted == window || counted < window && words > window)
	little := words > minWords && counted < words/2
	if !full && !(little && (counted < newest/2 || p.countsAll(ctx))) {
		return nil
	}
	return &ai.Failure{TooLong: true, Err: core.Errorf(core.CodeModelUnavailable,
		"Ollama truncated the prompt and read %d of more than %d tokens: give the model a larger context window, or use a newer Ollama", counted, max(words, counted))}
}

// wordsOf counts the words of a prompt, and those of the messages after the model's last
// answer, which no earlier request can have left in a cache. Every vocabulary needs at
// least one token for a word. Tools and their results do not count, because a model's
// template may omit them.
func wordsOf(req ai.Request) (all, newest int) {
	all = len(strings.Fields(req.System))
	for _, message := range req.Messages {
		words := 0
		switch message.Role {
		case ai.RoleAssistant:
			newest = 0
			words = len(strings.Fields(message.Text))
		case ai.RoleUser:
			words = len(strings.Fields(message.Words()))
			newest += words
		}
		all += words
	}
	return all, newest
}

// countsAll reports whether the server also counts cached tokens: Ollama does from 0.4
// on; 0.30 did not for a time.
func (p *Provider) countsAll(ctx context.Context) bool {
	var out struct {
		Version string `json:"version"`
	}
	if err := p.caller.Document(ctx, "api/version", nil, &out); err != nil {
		return false
	}
	major, rest, _ := strings.Cut(out.Version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	n, err := strconv.Atoi(minor)
	return err == nil && major == "0" && n >= 4 && n < 30
}
