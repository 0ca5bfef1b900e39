package agent

import (
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// thoughts collects the reasoning before one answer, for vendors that want it back between
// the calls of tools.
type thoughts struct {
	keeps bool
	// text is the reasoning that is not signed yet.
	text   strings.Builder
	signed []ai.Thought
}

func (t *thoughts) add(text string) {
	if t.keeps {
		t.text.WriteString(text)
	}
}

// sign ends a thought, whose text came before.
func (t *thoughts) sign(thought ai.Thought) {
	if t.keeps {
		t.text.Reset()
		t.signed = append(t.signed, thought)
	}
}

// take returns the thoughts and forgets them. An answer that calls tools has at least one
// where they are kept, if an empty one: some vendors demand the member.
func (t *thoughts) take(calls bool) []ai.Thought {
	text, all := t.text.String(), t.signed
	t.text.Reset()
	t.signed = nil
	if t.keeps && calls && (len(all) == 0 || text != "") {
		all = append(all, ai.Thought{Text: text})
	}
	return all
}

// think takes a piece of the model's reasoning from the log.
func (c *transcript) think(p core.ReasoningDelta) {
	switch {
	case p.Signed == nil:
		c.thoughts.add(p.Delta)
	case p.Signed.Model != c.model:
		c.thoughts.text.Reset()
	default:
		c.thoughts.sign(ai.Thought{Text: c.thoughts.text.String(), Signature: p.Signed.Signature, Redacted: p.Signed.Redacted})
	}
}

// forgetThoughts empties the thoughts of all answers, and reports whether there were any.
// A signed one is valid only behind exactly the conversation that the model had before it.
func (c *transcript) forgetThoughts() (any bool) {
	for i := range c.messages {
		had := c.messages[i].Thoughts
		if len(had) == 0 || len(had) == 1 && had[0] == (ai.Thought{}) {
			continue
		}
		any = true
		c.messages[i].Thoughts = []ai.Thought{{}}
	}
	return any
}
