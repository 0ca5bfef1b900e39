package dialect

import (
	"context"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// cleanedProvider is the decorator that Cleaned returns.
type cleanedProvider struct{ ai.Provider }

// Cleaned returns a decorator of provider that cleans what models write into the text of an answer
// because their server did not: tagged thoughts become reasoning, and calls of offered tools become
// calls, if nothing follows them. Text inside of code fences is left alone. Text that may be a call
// waits for the end of the answer; all other text is passed on at once.
func Cleaned(provider ai.Provider) ai.Provider { return cleanedProvider{provider} }

// Generate implements ai.Provider.
func (c cleanedProvider) Generate(ctx context.Context, req ai.Request, emit func(ai.Chunk) error) (core.Usage, error) {
	said := false
	clean := &cleaner{offered: newOffers(req.Tools), lineStart: true, emit: func(chunk ai.Chunk) error {
		said = said || chunk.Call != nil || strings.TrimSpace(chunk.Text) != ""
		return emit(chunk)
	}}
	usage, err := c.Provider.Generate(ctx, req, clean.take)
	if err != nil {
		return usage, err
	}
	if err := clean.close(); err != nil {
		return usage, err
	}
	if !said {
		return usage, errEmpty()
	}
	return usage, nil
}

// cleaner cleans the text of one answer.
type cleaner struct {
	emit    func(ai.Chunk) error
	offered offers
	// pending was not passed on yet.
	pending string
	// lineStart says that pending begins a line, fenced that it is in a code fence, afterTag that a tag
	// was taken out before it: white space goes with it.
	lineStart, fenced, afterTag bool
	// thoughtEnd is the tag that ends the thought under way, "" outside of thoughts.
	thoughtEnd string
	// holding says that pending and what is held may be a call, until the end of the answer.
	holding bool
	held    strings.Builder
	// called says that the answer has real calls: then its text is only text.
	called bool
}

// thoughtTags are the tags of thoughts in the templates of models, the end by the beginning.
var thoughtTags = map[string]string{
	"<think>": "</think>", "<thinking>": "</thinking>", "<thought>": "</thought>", "<thoughts>": "</thoughts>",
	"<reasoning>": "</reasoning>", "<reflection>": "</reflection>", "<antThinking>": "</antThinking>", "<seed:think>": "</seed:think>",
	"<THINK>": "</THINK>", "<Thinking>": "</Thinking>", "[THINK]": "[/THINK]", "◁think▷": "◁/think▷",
	"<|begin_of_thought|>": "<|end_of_thought|>", "<|START_THINKING|>": "<|END_THINKING|>", "<|thinking|>": "<|/thinking|>",
	"<|channel|>analysis<|message|>": "<|end|>", "<|channel>thought": "<channel|>",
}

// strayTags are ends of thoughts whose beginning the server has taken, and marks around the final
// answer. They say nothing.
var strayTags = []string{
	"</think>", "</thinking>", "</thought>", "</reasoning>", "[/THINK]", "◁/think▷",
	"<|start|>assistant", "<|channel|>final<|message|>", "<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|im_end|>", "<|eot_id|>", "<|return|>",
}

// maxTag bounds what is held back because it may become a tag, maxBlank the white space before it.
const (
	maxTag   = 64
	maxBlank = 256
)

func (c *cleaner) take(chunk ai.Chunk) error {
	if chunk.Text == "" {
		if chunk.Call != nil {
			c.called = true
			if err := c.release(); err != nil {
				return err
			}
		}
		return c.emit(chunk)
	}
	if c.holding {
		if c.held.WriteString(chunk.Text); c.held.Len() > maxCallBytes {
			return c.release()
		}
		return nil
	}
	c.pending += chunk.Text
	return c.advance(false)
}

// advance passes on as much of pending as is certain, all of it at the end of the answer.
func (c *cleaner) advance(end bool) error {
	for c.pending != "" && !c.holding {
		before := len(c.pending)
		var err error
		switch {
		case c.thoughtEnd != "":
			err = c.think(end)
		case c.lineStart:
			err = c.begin(end)
		default:
			err = c.line()
		}
		if err != nil || len(c.pending) == before {
			return err
		}
	}
	return nil
}

// think passes on a thought up to its end.
func (c *cleaner) think(end bool) error {
	at := strings.Index(c.pending, c.thoughtEnd)
	switch {
	case at >= 0:
		thought := c.pending[:at]
		c.pending = c.pending[at+len(c.thoughtEnd):]
		c.thoughtEnd, c.lineStart, c.afterTag = "", true, true
		return c.reason(thought)
	case end:
		return c.reason(c.cut(len(c.pending)))
	}
	return c.reason(c.cut(len(c.pending) - heldBack([]byte(c.pending), c.thoughtEnd)))
}

// begin decides what a line begins with.
func (c *cleaner) begin(end bool) error {
	text := strings.TrimLeft(c.pending, " \t\r\n")
	if c.afterTag {
		c.pending = text
	}
	if text == "" && !end {
		// Whether it matters shows what follows, if that comes soon.
		if len(c.pending) > maxBlank {
			return c.say(c.cut(len(c.pending)))
		}
		return nil
	}
	if strings.HasPrefix(text, "```") && c.fenced {
		c.fenced = false
		return c.line()
	}
	if c.fenced {
		return c.line()
	}
	for tag, last := range thoughtTags {
		if rest, is := strings.CutPrefix(text, tag); is {
			c.pending, c.thoughtEnd = rest, last
			return nil
		}
	}
	for _, stray := range strayTags {
		if rest, is := strings.CutPrefix(text, stray); is {
			c.pending, c.afterTag = rest, true
			return nil
		}
	}
	if !end && len(text) < maxTag && c.mayBeTag(text) {
		return nil
	}
	if !c.called && c.offered.beginsCall(text) {
		c.holding = true
		return nil
	}
	if strings.HasPrefix(text, "```") {
		c.fenced = true
	}
	return c.line()
}

// mayBeTag reports whether a text may become a tag or the beginning of a call.
func (c *cleaner) mayBeTag(text string) bool {
	for tag := range thoughtTags {
		if strings.HasPrefix(tag, text) {
			return true
		}
	}
	for _, stray := range strayTags {
		if strings.HasPrefix(stray, text) {
			return true
		}
	}
	return !c.called && c.offered.mayBeginCall(text)
}

// line passes on the rest of a line, as far as it is there.
func (c *cleaner) line() error {
	c.afterTag = false
	first := 0
	if c.lineStart {
		// The white space before a line's first word belongs to it.
		first = len(c.pending) - len(strings.TrimLeft(c.pending, " \t\r\n"))
	}
	at := strings.IndexByte(c.pending[first:], '\n')
	if at < 0 {
		c.lineStart = false
		return c.say(c.cut(len(c.pending)))
	}
	c.lineStart = true
	return c.say(c.cut(first + at + 1))
}

// close handles the end of the answer.
func (c *cleaner) close() error {
	if !c.holding {
		if err := c.advance(true); err != nil || !c.holding {
			return err
		}
	}
	calls, is := c.offered.calls(c.pending + c.held.String())
	if !is {
		return c.release()
	}
	c.pending = ""
	c.held.Reset()
	for i := range calls {
		if err := c.emit(ai.Chunk{Call: &calls[i]}); err != nil {
			return err
		}
	}
	return nil
}

// release passes pending on as text.
func (c *cleaner) release() error {
	c.holding = false
	c.pending += c.held.String()
	c.held.Reset()
	if c.thoughtEnd != "" {
		return c.reason(c.cut(len(c.pending)))
	}
	return c.say(c.cut(len(c.pending)))
}

// cut removes the first n bytes of pending.
func (c *cleaner) cut(n int) string {
	text := c.pending[:n]
	c.pending = c.pending[n:]
	return text
}

func (c *cleaner) say(text string) error {
	if text == "" {
		return nil
	}
	return c.emit(ai.Chunk{Text: text})
}

func (c *cleaner) reason(text string) error {
	if text == "" {
		return nil
	}
	return c.emit(ai.Chunk{Reasoning: text})
}
