package dialect

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/ports/ai"
)

// offers are the tools of a request, and read calls of them that a model wrote as text. The templates
// of models have a dozen forms for calls; all of them consist of marks, the name of a tool, and its
// arguments as JSON, as tags or as Python.
type offers struct {
	names      []string
	parameters map[string][]parameter
}

func newOffers(tools []ai.Tool) offers {
	o := offers{parameters: map[string][]parameter{}}
	for _, tool := range tools {
		o.names = append(o.names, tool.Name)
		o.parameters[tool.Name] = parametersOf(tool)
	}
	return o
}

// claude is the prefix of tags in Claude's own template.
const claude = "antml:"

// openers are the marks that begin calls in the templates of models.
var openers = []string{
	"<tool_call", "<tool_use", "<toolcall", "<TOOLCALL", "<function", "<invoke", "<" + claude, "<minimax:tool_call", "<tool_code", "<start_function_call",
	"<longcat_tool_call", "<tools>", "[TOOL_CALL", "<|tool_call", "<|tool_calls", "<|python_tag|>", "<|action_start|>", "<|channel|>commentary", "<|start|>assistant<|channel|>commentary",
	"<｜tool▁call", "commentary to=", "to=functions.", "Action:", "```tool_code", "```tool_call", "```xml\n<", "```tool",
}

// keys are the members by which JSON is known for a call.
var keys = []string{"name", "function", "tool", "tool_name", "toolName", "type", "action", "tool_calls", "function_call", "tool_call", "recipient_name", "arguments", "parameters", "args", "id"}

// beginsCall reports whether a text may be a call.
func (o offers) beginsCall(text string) bool {
	begins, _ := o.begins(text)
	return begins
}

// mayBeginCall reports whether a text may be the beginning of a call's beginning.
func (o offers) mayBeginCall(text string) bool {
	_, may := o.begins(text)
	return may
}

func (o offers) begins(text string) (begins, may bool) {
	if len(o.names) == 0 {
		return false, false
	}
	for _, opener := range openers {
		if strings.HasPrefix(text, opener) {
			return true, true
		}
		may = may || strings.HasPrefix(opener, text)
	}
	if name, rest, is := o.leadingName(strings.TrimPrefix(strings.TrimPrefix(text, "["), "<")); is && rest != "" {
		follows := rest[0]
		switch text[0] {
		case '<':
			begins = follows == '>'
		case '[':
			begins = follows == '('
		default:
			begins = follows == '{' || follows == '(' && slices.ContainsFunc(o.parameters[name], func(p parameter) bool { return strings.HasPrefix(rest[1:], p.name+"=") })
		}
		if begins {
			return true, true
		}
	}
	asJSON, mayJSON := beginsJSON(text)
	return asJSON, may || mayJSON || o.mayBeName(text)
}

// nameForm is a name that is not over, with a bracket before it, or the beginning of its arguments.
var nameForm = regexp.MustCompile(`^[<\[]?((?:functions?\.)?[A-Za-z][\w\-]{0,40}|functions?\.)(\(\w{0,20})?$`)

// mayBeName reports whether a text may become the name of a tool.
func (o offers) mayBeName(text string) bool {
	found := nameForm.FindStringSubmatch(text)
	if found == nil {
		return false
	}
	if found[2] != "" {
		_, is := Resolve(found[1], o.names)
		return is
	}
	begun := letters(strings.TrimPrefix(strings.TrimPrefix(found[1], "function."), "functions."))
	return strings.HasPrefix("functions", begun) || slices.ContainsFunc(o.names, func(name string) bool {
		return strings.HasPrefix(letters(name), begun) || slices.ContainsFunc(learnt[name], func(other string) bool { return strings.HasPrefix(letters(other), begun) })
	})
}

// jsonForm is the beginning of JSON with a first member, perhaps in a fence.
var jsonForm = regexp.MustCompile("^(?:```(?:json|tool_call|tool)?\\s*)?[\\[{][\\[{\\s]*\"(\\w+)\"")

// jsonStart is the part of jsonForm before the member's name is over.
var jsonStart = regexp.MustCompile("^(?:`{1,3}|```[a-z_]{0,9}\\s*)?(?:[\\[{][\\[{\\s]*(?:\"\\w{0,14})?)?$")

func beginsJSON(text string) (begins, may bool) {
	if found := jsonForm.FindStringSubmatch(text); found != nil {
		is := slices.Contains(keys, found[1])
		return is, is
	}
	return false, jsonStart.MatchString(text)
}

// marks stand around calls and between their parts, and say nothing of their own.
var marks = regexp.MustCompile("^(?:" +
	`<\|[\w /]{1,40}\|>|<｜[^｜<>]{1,40}｜>|</?(?:antml:)?(?:tool_calls?|tool_use|toolcall|TOOLCALL|tools|function_calls?|tool_code|minimax:tool_call|start_function_call|end_function_call|longcat_tool_call)>` +
	`|\[/?(?:TOOL_CALLS?|ARGS|CALL_ID)\]|` + "```[a-z_]*" + `|Action(?: Input)?:|(?:assistant)?commentary\b|analysis\b|to=|json\b|functions?\b|[,;]` +
	")")

// tails are what models write on after their calls, as if others had answered.
var tails = regexp.MustCompile(`^(?:<tool_response>|<tool_result|<function_results?>|<\|im_start\|>|<\|start_header_id\|>|<\|start\|>|Observation:|</s>|<end_of_turn>|<｜tool▁outputs)`)

// calls returns the calls in a text if it consists of calls of offered tools.
func (o offers) calls(text string) ([]ai.Call, bool) {
	var all []ai.Call
	for rest := strings.TrimSpace(text); rest != ""; rest = strings.TrimSpace(rest) {
		if len(all) > 0 && tails.MatchString(rest) {
			break
		}
		found, after, is := o.next(rest)
		if !is {
			return nil, false
		}
		all, rest = append(all, found...), after
	}
	return all, len(all) > 0
}

// next reads a mark, which has no calls, or calls at the beginning of a text.
func (o offers) next(text string) (found []ai.Call, rest string, is bool) {
	for _, read := range []func(string) ([]ai.Call, string, bool){o.tagged, o.named, o.json} {
		if found, rest, is = read(text); is {
			return found, rest, true
		}
	}
	if mark := marks.FindString(text); mark != "" {
		return nil, text[len(mark):], true
	}
	return nil, "", false
}

// heads are the tags that name a tool: <function=write_file>, <invoke name="write_file">,
// <function name="write_file">, <write_file>.
var heads = regexp.MustCompile(`^<(?:(function|tool_call)=([\w.\-]+)|(?:antml:)?(invoke|function|tool_call|tool) name="([\w.\-]+)"|([A-Za-z][\w\-]*))>`)

// tagged reads a call whose arguments are tags, or JSON between tags.
func (o offers) tagged(text string) ([]ai.Call, string, bool) {
	head := heads.FindStringSubmatch(text)
	if head == nil {
		return nil, "", false
	}
	tag, said := head[1]+head[3], head[2]+head[4]
	if said == "" {
		tag, said = head[5], head[5]
	}
	tool, known := Resolve(said, o.names)
	if !known || head[5] != "" && slices.Contains([]string{"function", "tool", "invoke"}, tag) {
		return nil, "", false
	}
	body := text[len(head[0]):]
	if args, rest, is := leadingJSON(body); is && args[0] == '{' {
		return []ai.Call{o.call(tool, args)}, afterEnd(rest, tag), true
	}
	values, rest, is := o.tags(tool, body)
	if !is || head[5] != "" && !strings.HasPrefix(rest, "</"+tag) {
		return nil, "", false
	}
	return []ai.Call{o.call(tool, values)}, afterEnd(rest, tag), true
}

// afterEnd is what follows the end of a tag, which models forget.
func afterEnd(text, tag string) string {
	trimmed := strings.TrimSpace(text)
	for _, last := range []string{"</" + tag + ">", "</" + claude + tag + ">"} {
		if rest, is := strings.CutPrefix(trimmed, last); is {
			return rest
		}
	}
	return trimmed
}

// argTags are the tags of an argument: <parameter=path>, <parameter name="path">, <path>.
var argTags = regexp.MustCompile(`^<(?:(parameter|param|arg|argument)=([\w.\-]+)|(?:antml:)?(parameter|param|arg|argument) name="([\w.\-]+)"(?: [a-z]+="[a-z]*")*|([A-Za-z][\w\-]*))>`)

// tags reads arguments that are tags, up to something else.
func (o offers) tags(tool, text string) (args json.RawMessage, rest string, is bool) {
	var all []member
	for {
		text = strings.TrimSpace(text)
		head := argTags.FindStringSubmatch(text)
		if head == nil {
			return object(all), text, true
		}
		tag, name := head[1]+head[3], head[2]+head[4]
		if name == "" {
			tag, name = head[5], head[5]
		}
		value, after, closed := cutLast(text[len(head[0]):], tag)
		if !closed {
			return nil, "", false
		}
		all = append(all, member{name, o.value(tool, name, withoutBreaks(value))})
		text = after
	}
}

// cutLast cuts a text at the end of a tag: behind it comes another tag or nothing. A file may have
// the same tag in its content.
func cutLast(text, tag string) (value, rest string, found bool) {
	for from := 0; ; {
		at, size := -1, 0
		for _, last := range []string{"</" + tag + ">", "</" + claude + tag + ">"} {
			if i := strings.Index(text[from:], last); i >= 0 && (at < 0 || from+i < at) {
				at, size = from+i, len(last)
			}
		}
		if at < 0 {
			return "", "", false
		}
		rest := strings.TrimSpace(text[at+size:])
		if rest == "" || marks.MatchString(rest) || tails.MatchString(rest) || argTags.MatchString(rest) || strings.HasPrefix(rest, "</") {
			return text[:at], rest, true
		}
		from = at + size
	}
}

// value is an argument as JSON: a text as a string, anything else as the model wrote it.
func (o offers) value(tool, name, text string) json.RawMessage {
	at := slices.IndexFunc(o.parameters[tool], func(known parameter) bool { return known.name == name })
	trimmed := strings.TrimSpace(text)
	if at < 0 || o.parameters[tool][at].isText() || !json.Valid([]byte(trimmed)) {
		return quoted(text)
	}
	return json.RawMessage(trimmed)
}

// withoutBreaks removes the line breaks next to the tags of a value that begins on a line of its own.
func withoutBreaks(value string) string {
	if strings.HasPrefix(value, "\n") || strings.HasPrefix(value, "\r\n") {
		return withoutOuterBreaks(value)
	}
	return value
}

// nameWord is a name at the beginning of a text.
var nameWord = regexp.MustCompile(`^(?:functions?\.)?[A-Za-z][\w\-]{0,40}(?::\d+)?`)

// leadingName returns the offered tool that a text begins with.
func (o offers) leadingName(text string) (tool, rest string, is bool) {
	word := nameWord.FindString(text)
	if word == "" {
		return "", "", false
	}
	tool, is = Resolve(word, o.names)
	return tool, text[len(word):], is
}

// argMarks stand between a tool's name and its arguments.
var argMarks = regexp.MustCompile("^(?:\\s|<\\|[\\w ]{1,40}\\|>|<｜[^｜<>]{1,40}｜>|\\[ARGS\\]|\\[CALL_ID\\]\\w+|```[a-z]*|Action Input:|json\\b|code\\b|call:)*")

// named reads a call that is a name with its arguments: write_file{…}, write_file(path="…"), a name
// with <arg_key> and <arg_value>.
func (o offers) named(text string) ([]ai.Call, string, bool) {
	tool, rest, is := o.leadingName(strings.TrimPrefix(text, "["))
	if !is {
		return nil, "", false
	}
	rest = rest[len(argMarks.FindString(rest)):]
	if strings.HasPrefix(rest, "(") {
		args, after, is := pythonArgs(rest[1:])
		return []ai.Call{o.call(tool, args)}, strings.TrimPrefix(strings.TrimSpace(after), "]"), is
	}
	if strings.HasPrefix(rest, "<arg_key>") {
		args, after, is := o.pairs(tool, rest)
		return []ai.Call{o.call(tool, args)}, after, is
	}
	if strings.HasPrefix(rest, "</tool_call>") {
		return []ai.Call{o.call(tool, json.RawMessage("{}"))}, rest, true
	}
	args, after, is := leadingJSON(rest)
	if !is || args[0] != '{' {
		return nil, "", false
	}
	return []ai.Call{o.call(tool, args)}, after, true
}

// pairs reads <arg_key>name</arg_key><arg_value>value</arg_value>, as GLM writes.
func (o offers) pairs(tool, text string) (args json.RawMessage, rest string, is bool) {
	var all []member
	for {
		text = strings.TrimSpace(text)
		after, more := strings.CutPrefix(text, "<arg_key>")
		if !more {
			return object(all), text, true
		}
		name, after, named := strings.Cut(after, "</arg_key>")
		after, opened := strings.CutPrefix(strings.TrimSpace(after), "<arg_value>")
		value, after, closed := cutPair(after)
		if !named || !opened || !closed {
			return nil, "", false
		}
		name = strings.TrimSpace(name)
		all = append(all, member{name, o.value(tool, name, withoutBreaks(value))})
		text = after
	}
}

func cutPair(text string) (value, rest string, found bool) {
	for from := 0; ; {
		at := strings.Index(text[from:], "</arg_value>")
		if at < 0 {
			return "", "", false
		}
		at += from
		rest := strings.TrimSpace(text[at+len("</arg_value>"):])
		if rest == "" || strings.HasPrefix(rest, "<arg_key>") || strings.HasPrefix(rest, "</tool_call>") || marks.MatchString(rest) || tails.MatchString(rest) {
			return text[:at], rest, true
		}
		from = at + len("</arg_value>")
	}
}

// call is a call with these arguments.
func (o offers) call(tool string, args json.RawMessage) ai.Call {
	return ai.Call{ID: newCallID(), Tool: tool, Args: args}
}
