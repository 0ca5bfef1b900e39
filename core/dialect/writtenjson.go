package dialect

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/atelierhq/atelier/ports/ai"
)

// json reads calls that are JSON.
func (o offers) json(text string) ([]ai.Call, string, bool) {
	value, rest, is := leadingJSON(text)
	if !is {
		return nil, "", false
	}
	found, is := o.inJSON(value)
	return found, rest, is
}

// inJSON returns the calls that a JSON value is: {"name": …, "arguments": …} in all spellings, or a
// list of them.
func (o offers) inJSON(value json.RawMessage) ([]ai.Call, bool) {
	var list []json.RawMessage
	if json.Unmarshal(value, &list) == nil {
		var all []ai.Call
		for _, one := range list {
			found, is := o.inJSON(one)
			if !is {
				return nil, false
			}
			all = append(all, found...)
		}
		return all, len(all) > 0
	}
	var said map[string]json.RawMessage
	if json.Unmarshal(value, &said) != nil {
		return nil, false
	}
	for _, wrapper := range []string{"tool_calls", "function_call", "tool_call", "function"} {
		if inner, is := said[wrapper]; is && (inner[0] == '{' || inner[0] == '[') {
			return o.inJSON(inner)
		}
	}
	for _, key := range []string{"name", "tool_name", "toolName", "tool", "function", "action", "recipient_name", "type"} {
		var name string
		if json.Unmarshal(said[key], &name) != nil {
			continue
		}
		if tool, known := Resolve(name, o.names); known {
			return []ai.Call{o.call(tool, argsIn(said, key))}, true
		}
	}
	return nil, false
}

// argsIn are the arguments beside the name of a call: in a member of their own, or around it.
func argsIn(said map[string]json.RawMessage, named string) json.RawMessage {
	for _, key := range []string{"arguments", "parameters", "args", "params", "input", "action_input", "tool_input", "kwargs"} {
		if args, is := said[key]; is {
			return args
		}
	}
	rest := maps.Clone(said)
	for _, key := range []string{named, "type", "id", "call_id"} {
		delete(rest, key)
	}
	// A map of JSON can be encoded.
	args, _ := json.Marshal(rest)
	return args
}

// leadingJSON returns the JSON object or list that a text begins with. At the end of the text it is
// repaired if what is missing or too much is clear.
func leadingJSON(text string) (value json.RawMessage, rest string, is bool) {
	text = strings.TrimSpace(text)
	if text == "" || text[0] != '{' && text[0] != '[' {
		return nil, "", false
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	if decoder.Decode(&value) == nil {
		return value, strings.TrimLeft(text[decoder.InputOffset():], "}] \r\n\t"), true
	}
	end := endOfJSON(text)
	repaired, err := repair(text[:end])
	if err != nil {
		return nil, "", false
	}
	return json.RawMessage(repaired), strings.TrimLeft(text[end:], "}] \r\n\t"), true
}

// endOfJSON is where the brackets of a text are closed, or where a mark or the text's end cuts them off.
func endOfJSON(text string) int {
	var s bracketScan
	for i := range len(text) {
		if text[i] == '<' && !s.quoted && marks.MatchString(text[i:]) {
			return i
		}
		if s.step(text[i]); s.closed() {
			return i + 1
		}
	}
	return len(text)
}

// bracketScan follows the brackets of JSON that may have mistakes.
type bracketScan struct {
	depth           int
	quoted, escaped bool
}

func (s *bracketScan) closed() bool { return s.depth == 0 && !s.quoted }

func (s *bracketScan) step(b byte) {
	switch {
	case s.escaped:
		s.escaped = false
	case s.quoted && b == '\\':
		s.escaped = true
	case b == '"':
		s.quoted = !s.quoted
	case s.quoted:
	case b == '{' || b == '[':
		s.depth++
	case b == '}' || b == ']':
		s.depth--
	}
}
