package dialect

import (
	"encoding/json"
	"regexp"
	"strings"
)

// pythonName is the name of a keyword argument.
var pythonName = regexp.MustCompile(`^\s*([A-Za-z_]\w*)\s*=\s*`)

// pythonArgs reads keyword arguments up to the closing parenthesis of a call in Python, as models write
// calls that were trained on it: path="a.txt", lines=3, all=True.
func pythonArgs(text string) (args json.RawMessage, rest string, is bool) {
	var all []member
	for {
		text = strings.TrimLeft(text, " \t\r\n,")
		if after, closed := strings.CutPrefix(text, ")"); closed {
			return object(all), after, true
		}
		head := pythonName.FindStringSubmatch(text)
		if head == nil {
			return nil, "", false
		}
		value, after, found := pythonValue(text[len(head[0]):])
		if !found {
			return nil, "", false
		}
		all = append(all, member{head[1], value})
		text = after
	}
}

// pythonValue reads a literal.
func pythonValue(text string) (value json.RawMessage, rest string, found bool) {
	for _, quote := range []string{`"""`, "'''", `"`, "'"} {
		if inner, is := strings.CutPrefix(text, quote); is {
			said, after, closed := pythonText(inner, quote)
			return quoted(said), after, closed
		}
	}
	if value, rest, is := leadingJSON(text); is {
		return value, rest, true
	}
	end := strings.IndexAny(text, ",)\n")
	if end < 0 {
		return nil, "", false
	}
	word := strings.TrimSpace(text[:end])
	if known, is := words[word]; is {
		word = known
	}
	return json.RawMessage(word), text[end:], json.Valid([]byte(word))
}

// escapes are Python's escapes of one letter.
var escapes = map[byte]string{'n': "\n", 't': "\t", 'r': "\r", '\\': "\\", '\'': "'", '"': `"`, '\n': ""}

// pythonText reads a text up to its closing quote.
func pythonText(text, quote string) (said, rest string, closed bool) {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], quote):
			return out.String(), text[i+len(quote):], true
		case text[i] == '\\' && i+1 < len(text):
			i++
			if meant, known := escapes[text[i]]; known {
				out.WriteString(meant)
				continue
			}
			out.WriteByte('\\')
			out.WriteByte(text[i])
		default:
			out.WriteByte(text[i])
		}
	}
	return "", "", false
}
