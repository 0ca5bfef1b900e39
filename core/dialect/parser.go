package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// maxCallBytes bounds the memory of one call. It is more than any tool accepts.
const maxCallBytes = 4 << 20

// maxHeadBytes bounds the first tag of a call.
const maxHeadBytes = 512

// parser finds the calls in a streamed answer. Its output does not depend on the
// chunks of the stream, except for how texts are split.
type parser struct {
	nonce      string
	parameters map[string][]parameter
	emit       func(ai.Chunk) error
	// pending was not emitted yet: outside of a call it may be the beginning of a
	// tag, inside of one it is the call so far.
	pending []byte
	inside  bool
	// stray says that pending is a call without its number, midLine that it begins in a line.
	stray, midLine bool
	// searched is how much of pending has been searched for the end of the call, or for the next one.
	searched int
}

func newParser(nonce string, tools []ai.Tool, emit func(ai.Chunk) error) *parser {
	p := &parser{nonce: nonce, parameters: map[string][]parameter{}, emit: emit}
	for _, tool := range tools {
		p.parameters[tool.Name] = parametersOf(tool)
	}
	return p
}

func (p *parser) callStart() string   { return "<call-" + p.nonce }
func (p *parser) callEnd() string     { return "</call-" + p.nonce + ">" }
func (p *parser) argStart() string    { return "<arg-" + p.nonce }
func (p *parser) argEnd() string      { return "</arg-" + p.nonce + ">" }
func (p *parser) resultStart() string { return "<result-" + p.nonce }

// write parses the next piece of the answer. It returns emit's error, or errPlaysBoth
// if the rest of the answer is not wanted.
func (p *parser) write(piece string) error {
	p.pending = append(p.pending, piece...)
	for {
		again, err := p.step()
		if err != nil || !again {
			return err
		}
	}
}

// step consumes a part of pending, and reports whether it may be called again.
func (p *parser) step() (bool, error) {
	switch {
	case p.inside:
		return p.stepInside()
	case p.stray:
		return p.stepStray()
	}
	call, result := bytes.Index(p.pending, []byte(p.callStart())), bytes.Index(p.pending, []byte(p.resultStart()))
	before := len(p.pending)
	for _, at := range []int{call, result} {
		if at >= 0 {
			before = min(before, at)
		}
	}
	stray, whole := p.findStray(p.pending[:before])
	switch {
	case stray >= 0:
		text := p.take(stray)
		p.stray, p.searched = whole, 0
		return whole, p.say(text)
	case result >= 0 && (call < 0 || result < call):
		text := p.take(result)
		p.pending = nil
		if err := p.say(text); err != nil {
			return false, err
		}
		return false, errPlaysBoth
	case call >= 0:
		text := p.take(call)
		p.inside, p.searched = true, 0
		return true, p.say(text)
	}
	held := max(heldBack(p.pending, p.callStart()), heldBack(p.pending, p.resultStart()))
	return false, p.say(p.take(len(p.pending) - held))
}

// strayHead begins a call whose number is missing or another, or may become such a beginning.
var strayHead = regexp.MustCompile(`<call(?:-[^\s<>]{0,40})?(?:\s[^<>\n]{0,80})?(>?)`)

// findStray returns the offset in text, the beginning of pending, of a call of an offered tool that begins
// a line without the number of the tags, -1 if there is none. whole says that its first tag has arrived.
func (p *parser) findStray(text []byte) (at int, whole bool) {
	for _, found := range strayHead.FindAllSubmatchIndex(text, -1) {
		line := text[:found[0]]
		if i := bytes.LastIndexByte(line, '\n'); i >= 0 {
			line = line[i+1:]
		} else if p.midLine {
			continue
		}
		closed := found[2] < found[3]
		if len(bytes.TrimSpace(line)) > 0 || !closed && found[1] < len(p.pending) {
			continue
		}
		if _, offered := p.parameters[strayTool(string(text[found[0]:found[1]]))]; offered || !closed {
			return found[0], closed
		}
	}
	return -1, false
}

// strayTool returns the name of the tool in the first tag of a call, whatever its number.
func strayTool(head string) string {
	_, attributes, _ := strings.Cut(strings.TrimRight(head, "/>"), " ")
	tool, _ := attribute(attributes, "tool")
	return tool
}

// stepStray waits for the end of a call without its number: that of the answer, or another call.
func (p *parser) stepStray() (bool, error) {
	next := bytes.Index(p.pending[p.searched:], []byte(p.callStart()))
	switch {
	case next >= 0:
		next += p.searched
	case len(p.pending) <= maxCallBytes:
		p.searched = max(len(p.pending)-len(p.callStart())+1, 0)
		return false, nil
	default:
		next = len(p.pending)
	}
	p.stray = false
	return true, p.strayed(p.take(next))
}

// strayed emits a call without its number as a broken one: only the number tells the model's own calls
// from those in a file that it quotes. The tags of the result repeat it.
func (p *parser) strayed(text string) error {
	head, _, _ := strings.Cut(text, ">")
	return p.emit(ai.Chunk{Call: &ai.Call{
		ID: newCallID(), Tool: strayTool(head), Args: unreadable(strings.ReplaceAll(text, p.nonce, "…")),
		Broken: "the tags of this call lack the number, or have another one. Nothing was done; write the call again, with the number of the tags around this result in each of its own tags.",
	}})
}

// take removes the first n bytes of pending.
func (p *parser) take(n int) string {
	taken := string(p.pending[:n])
	p.pending = p.pending[n:]
	return taken
}

// heldBack is the length of the longest suffix of text that is a prefix of tag.
func heldBack(text []byte, tag string) int {
	for n := min(len(text), len(tag)-1); n > 0; n-- {
		if string(text[len(text)-n:]) == tag[:n] {
			return n
		}
	}
	return 0
}

func (p *parser) stepInside() (bool, error) {
	end, length := p.findEnd()
	switch {
	case end >= 0 && end <= maxCallBytes:
		whole := p.take(end)
		p.take(length)
		p.inside = false
		return true, p.call(whole)
	case len(p.pending) <= maxCallBytes+len(p.callEnd()):
		return false, nil
	}
	large := p.take(maxCallBytes)
	p.inside, p.pending = false, nil
	if err := p.broken(large, fmt.Sprintf("the call is larger than %d bytes", maxCallBytes)); err != nil {
		return false, err
	}
	return false, errPlaysBoth
}

// findEnd returns the offset of the call's end tag and its length, -1 if it has not
// arrived yet. A call without arguments may close itself.
func (p *parser) findEnd() (at, length int) {
	start := p.pending[:min(len(p.pending), maxHeadBytes)]
	if head := bytes.IndexByte(start, '>'); head > 0 && start[head-1] == '/' {
		return head - 1, len("/>")
	}
	tag := p.callEnd()
	if at := bytes.Index(p.pending[p.searched:], []byte(tag)); at >= 0 {
		return p.searched + at, len(tag)
	}
	p.searched = max(len(p.pending)-len(tag)+1, 0)
	return -1, 0
}

// close handles the end of the answer. A call without an end is broken.
func (p *parser) close() error {
	pending := p.take(len(p.pending))
	switch {
	case p.stray:
		return p.strayed(pending)
	case !p.inside:
		return p.say(pending)
	}
	return p.broken(pending, "the answer ended before the call's closing tag "+p.callEnd())
}

func (p *parser) say(text string) error {
	if text == "" {
		return nil
	}
	p.midLine = !strings.HasSuffix(text, "\n")
	return p.emit(ai.Chunk{Text: text})
}

// call emits the call in the text between its beginning and its end.
func (p *parser) call(text string) error {
	tool, body, wrong := p.head(text)
	if wrong != "" {
		return p.broken(text, wrong)
	}
	args, wrong := p.args(tool, body)
	if wrong != "" {
		return p.broken(text, wrong)
	}
	return p.emit(ai.Chunk{Call: &ai.Call{ID: newCallID(), Tool: tool, Args: args}})
}

// broken emits a call that is not carried out. Its text does not contain the nonce,
// so that the conversation can keep it.
func (p *parser) broken(text, why string) error {
	tool, _, _ := p.head(text)
	text, why = strings.ReplaceAll(text, p.nonce, "…"), strings.ReplaceAll(why, p.nonce, "…")
	return p.emit(ai.Chunk{Call: &ai.Call{
		ID: newCallID(), Tool: tool, Args: unreadable(text),
		Broken: why + ". Nothing was done; write the call again, whole and with all its tags.",
	}})
}

func newCallID() string { return "call_" + string(core.NewID()) }

// head reads the first tag of a call and returns the rest.
func (p *parser) head(text string) (tool, body, wrong string) {
	tag, body, _ := strings.Cut(strings.TrimPrefix(text, p.callStart()), ">")
	tool, found := attribute(tag, "tool")
	if !found {
		return "", "", fmt.Sprintf("a call must begin with %s tool=\"name of the tool\">", p.callStart())
	}
	return tool, body, ""
}

// attribute returns the value of the only attribute of a tag.
func attribute(tag, name string) (string, bool) {
	value, found := strings.CutPrefix(strings.TrimSpace(tag), name+"=")
	if !found || len(value) < 2 || value[0] != '"' && value[0] != '\'' {
		return "", false
	}
	value, rest, found := strings.Cut(value[1:], value[:1])
	return value, found && strings.TrimSpace(rest) == "" && value != ""
}

// args reads the arguments of a call.
func (p *parser) args(tool, body string) (json.RawMessage, string) {
	var all []member
	for body = strings.TrimSpace(body); body != ""; body = strings.TrimSpace(body) {
		rest, isArg := strings.CutPrefix(body, p.argStart())
		tag, rest, hasEnd := strings.Cut(rest, ">")
		name, named := attribute(tag, "name")
		if !isArg || !hasEnd || !named {
			return nil, fmt.Sprintf("a call may contain only arguments, each as %s name=\"…\">value%s, but there is %q",
				p.argStart(), p.argEnd(), near(body, 0))
		}
		value, rest, closed := strings.Cut(rest, p.argEnd())
		if !closed {
			return nil, fmt.Sprintf("the argument %q has no closing tag %s", name, p.argEnd())
		}
		if slices.ContainsFunc(all, func(m member) bool { return m.name == name }) {
			return nil, fmt.Sprintf("the argument %q occurs twice", name)
		}
		content, wrong := p.value(tool, name, withoutOuterBreaks(value))
		if wrong != "" {
			return nil, wrong
		}
		all = append(all, member{name, content})
		body = rest
	}
	return object(all), ""
}

// value returns an argument as JSON: a text as a string, anything else as the model
// wrote it. An unknown argument is passed on, for the tool to refuse.
func (p *parser) value(tool, name, text string) (json.RawMessage, string) {
	at := slices.IndexFunc(p.parameters[tool], func(known parameter) bool { return known.name == name })
	if at < 0 || p.parameters[tool][at].isText() {
		return quoted(text), ""
	}
	text = strings.TrimSpace(text)
	if !json.Valid([]byte(text)) {
		return nil, fmt.Sprintf("the argument %q must be %s, but it is %q", name, p.parameters[tool][at].form(), near(text, 0))
	}
	return json.RawMessage(text), ""
}

// withoutOuterBreaks removes one line break next to each tag.
func withoutOuterBreaks(value string) string {
	if inner, found := strings.CutPrefix(value, "\r\n"); found {
		return strings.TrimSuffix(inner, "\r\n")
	}
	return strings.TrimSuffix(strings.TrimPrefix(value, "\n"), "\n")
}
