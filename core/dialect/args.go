package dialect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Args returns a call's arguments as the JSON object that the model meant. It repairs only what is
// unambiguous: arguments inside a JSON string or a code fence, no arguments at all, superfluous
// brackets at the end, and commas before a closing bracket. It also accepts line breaks and tabs
// inside a string, Python's True, False and None, and missing final braces if the last value is
// complete.
//
// Otherwise broken says what is wrong, for the model to read, and args holds the model's text in a
// member that no tool has.
func Args(raw json.RawMessage) (args json.RawMessage, broken string) {
	text := unwrapped(raw)
	if text == "" || text == "null" {
		return json.RawMessage("{}"), ""
	}
	text = withoutTail(text)
	if !json.Valid([]byte(text)) {
		repaired, err := repair(text)
		if err != nil {
			return unreadable(text), brokenArgs(err)
		}
		text = repaired
	}
	if text[0] != '{' {
		return unreadable(text), brokenArgs(fmt.Errorf("they are %s", kindOf(text)))
	}
	return json.RawMessage(text), ""
}

// withoutTail removes unmatched closing brackets from the end of a text.
func withoutTail(text string) string {
	decoder := json.NewDecoder(strings.NewReader(text))
	var whole json.RawMessage
	if decoder.Decode(&whole) != nil || strings.Trim(text[decoder.InputOffset():], "}]) ;\n\r\t") != "" {
		return text
	}
	return string(whole)
}

func brokenArgs(why error) string {
	return fmt.Sprintf("the arguments are wrong: %s. Nothing was done; make the call again with one whole JSON object for arguments.", why)
}

// maxWraps bounds how many strings and fences may wrap the arguments.
const maxWraps = 3

// unwrapped removes JSON strings and code fences around arguments.
func unwrapped(raw json.RawMessage) string {
	text := strings.TrimSpace(string(raw))
	for range maxWraps {
		var inner string
		switch {
		case json.Unmarshal([]byte(text), &inner) == nil && text[0] == '"':
			text = strings.TrimSpace(inner)
		case strings.HasPrefix(text, "```"):
			text = withoutFence(text)
		}
	}
	return text
}

// withoutFence returns the content of a single code fence around all of the text; else the text.
func withoutFence(text string) string {
	head, rest, found := strings.Cut(text, "\n")
	inner, closed := strings.CutSuffix(rest, "```")
	language := strings.TrimSpace(strings.TrimPrefix(head, "```"))
	if !found || !closed || strings.Contains(inner, "\n```") || language != "" && language != "json" {
		return text
	}
	return strings.TrimSpace(inner)
}

// unreadableName is the member that holds unreadable arguments.
const unreadableName = "unreadable"

func unreadable(text string) json.RawMessage { return object([]member{{unreadableName, quoted(text)}}) }

func quoted(text string) json.RawMessage {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	// Encoding a string cannot fail.
	_ = encoder.Encode(text)
	return bytes.TrimSpace(out.Bytes())
}

func kindOf(text string) string {
	switch text[0] {
	case '[':
		return "a list"
	case '"':
		return "a string"
	}
	return "a single value"
}

// jsonRepairer copies a JSON text and repairs it on the way.
type jsonRepairer struct {
	out strings.Builder
	// open are the brackets that are not closed; quoted and escaped say that the position is in a
	// string.
	open            []byte
	quoted, escaped bool
	// last is the last byte outside strings that is not white space; for a string it is its
	// closing quote.
	last byte
	// comma is a comma that is held back, with the white space after it, until the next byte shows
	// whether it is valid.
	comma string
}

// errCut refuses arguments that break off, because half of a file could be missing.
var errCut = errors.New("they end in the middle of a string, so a part of it is missing")

// repair returns the valid JSON text for the only possible meaning of text.
func repair(text string) (string, error) {
	var m jsonRepairer
	for i := 0; i < len(text); {
		i += m.step(text[i:])
	}
	if err := m.close(); err != nil {
		return "", err
	}
	repaired := withoutTail(m.out.String())
	if err := check(repaired); err != nil {
		return "", err
	}
	return repaired, nil
}

// step copies the beginning of rest, and returns its length.
func (m *jsonRepairer) step(rest string) int {
	switch b := rest[0]; {
	case m.quoted:
		m.stepQuoted(b)
	case b == ' ' || b == '\t' || b == '\r' || b == '\n':
		m.space(b)
	case b == ',':
		m.keepComma()
		m.comma, m.last = ",", b
	case b == '}' || b == ']':
		m.dropComma()
		if len(m.open) > 0 {
			m.open = m.open[:len(m.open)-1]
		}
		m.put(b)
	default:
		m.keepComma()
		return m.stepValue(rest)
	}
	return 1
}

func (m *jsonRepairer) stepQuoted(b byte) {
	switch {
	case m.escaped:
		m.escaped = false
	case b == '\\':
		m.escaped = true
	case b == '"':
		m.quoted, m.last = false, b
	case b == '\n' || b == '\r' || b == '\t':
		m.out.WriteString(map[byte]string{'\n': `\n`, '\r': `\r`, '\t': `\t`}[b])
		return
	}
	m.out.WriteByte(b)
}

// words are Python's names of JSON's constants.
var words = map[string]string{"True": "true", "False": "false", "None": "null"}

// stepValue copies one byte, or replaces a whole word by a value.
func (m *jsonRepairer) stepValue(rest string) int {
	b := rest[0]
	if m.last == ':' || m.last == '[' || m.last == ',' {
		for python, word := range words {
			if strings.HasPrefix(rest, python) && !isWordByte(rest[len(python):]) {
				m.out.WriteString(word)
				m.last = 'e'
				return len(python)
			}
		}
	}
	switch b {
	case '"':
		m.quoted = true
	case '{', '[':
		m.open = append(m.open, b)
	}
	m.put(b)
	return 1
}

func isWordByte(rest string) bool {
	return rest != "" && (rest[0] == '_' || rest[0] >= '0' && rest[0] <= '9' || rest[0]|0x20 >= 'a' && rest[0]|0x20 <= 'z')
}

func (m *jsonRepairer) put(b byte) {
	m.out.WriteByte(b)
	m.last = b
}

func (m *jsonRepairer) space(b byte) {
	if m.comma != "" {
		m.comma += string(b)
		return
	}
	m.out.WriteByte(b)
}

func (m *jsonRepairer) keepComma() {
	m.out.WriteString(m.comma)
	m.comma = ""
}

// dropComma leaves out a comma between a value and a closing bracket.
func (m *jsonRepairer) dropComma() {
	written := strings.TrimSpace(m.out.String())
	if m.comma != "" && (written == "" || strings.ContainsAny(written[len(written)-1:], "{[,:")) {
		m.keepComma()
	}
	m.comma = ""
}

// close adds the last braces if nothing else can be missing.
func (m *jsonRepairer) close() error {
	switch {
	case m.quoted:
		return errCut
	case len(m.open) == 0:
		m.keepComma()
		return nil
	case bytes.IndexByte(m.open, '[') >= 0:
		return errors.New("they end inside a list")
	case m.last != '"' && m.last != '}' && m.last != ']' && m.last != 'e' && m.last != 'l':
		// After a number, a comma or a colon more may be missing.
		return errors.New("they end inside an object")
	}
	m.out.WriteString(strings.Repeat("}", len(m.open)))
	return nil
}

// check says what is wrong with a text that is not JSON, and where.
func check(text string) error {
	var value json.RawMessage
	err := json.Unmarshal([]byte(text), &value)
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	return fmt.Errorf("%s, near %q", syntax.Error(), near(text, int(syntax.Offset)))
}

// nearBytes is how much of a text is shown around an error.
const nearBytes = 20

func near(text string, offset int) string {
	from, to := max(offset-nearBytes, 0), min(offset+nearBytes, len(text))
	return strings.ToValidUTF8(text[min(from, len(text)):to], "")
}
