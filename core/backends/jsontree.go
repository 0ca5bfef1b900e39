package backends

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/atelierhq/atelier/core"
)

// node is a JSON value with its position in the file.
type node struct {
	file *source
	// offset is where the value begins, in bytes.
	offset int
	raw    json.RawMessage
}

// source is a JSON file with the diagnostics about it.
type source struct {
	path  string
	text  []byte
	found []core.Diagnostic
}

// maxDiagnostics bounds the diagnostics of one file.
const maxDiagnostics = 20

// readJSON returns the root of a file, and false with a diagnostic if it is not JSON.
func readJSON(path string, text []byte) (*source, node, bool) {
	text = core.WithoutMark(text)
	s := &source{path: path, text: text}
	root := node{file: s, raw: json.RawMessage(text)}
	var any any
	err := json.Unmarshal(text, &any)
	if err == nil {
		return s, root, true
	}
	at := len(text)
	if syntax := new(json.SyntaxError); errors.As(err, &syntax) {
		at = max(int(syntax.Offset)-1, 0)
	}
	s.complain(at, "This is not valid JSON: %s.", err)
	return s, root, false
}

// complain adds a diagnostic at an offset.
func (s *source) complain(offset int, format string, args ...any) {
	if len(s.found) >= maxDiagnostics {
		return
	}
	before := s.text[:min(offset, len(s.text))]
	line := bytes.Count(before, []byte("\n"))
	column := len(before) - bytes.LastIndexByte(before, '\n') - 1
	s.found = append(s.found, core.Diagnostic{Path: s.path, Line: line + 1, Column: column + 1, Message: fmt.Sprintf(format, args...)})
}

func (n node) complain(format string, args ...any) { n.file.complain(n.offset, format, args...) }

// member is a name of an object with its value.
type member struct {
	name  string
	value node
}

// members returns the members of an object in order. It complains and returns false if the
// value is not an object, or repeats a name.
func (n node) members(what string) ([]member, bool) {
	decoder := json.NewDecoder(bytes.NewReader(n.raw))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		n.complain("%s must be an object.", what)
		return nil, false
	}
	var members []member
	seen := make(map[string]bool)
	for decoder.More() {
		token, err := decoder.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			return nil, false
		}
		value, err := n.decode(decoder)
		if err != nil {
			return nil, false
		}
		if seen[name] {
			value.complain("%s has %q twice.", what, name)
			return nil, false
		}
		seen[name] = true
		members = append(members, member{name, value})
	}
	return members, true
}

// items returns the items of an array, and complains if the value is not one.
func (n node) items(what string) ([]node, bool) {
	decoder := json.NewDecoder(bytes.NewReader(n.raw))
	if token, err := decoder.Token(); err != nil || token != json.Delim('[') {
		n.complain("%s must be an array.", what)
		return nil, false
	}
	var items []node
	for decoder.More() {
		item, err := n.decode(decoder)
		if err != nil {
			return nil, false
		}
		items = append(items, item)
	}
	return items, true
}

// decode reads the next value of a decoder over n.
func (n node) decode(decoder *json.Decoder) (node, error) {
	var raw json.RawMessage
	if err := decoder.Decode(&raw); err != nil && !errors.Is(err, io.EOF) {
		return node{}, err
	}
	return node{n.file, n.offset + int(decoder.InputOffset()) - len(raw), raw}, nil
}

// text returns a string, and complains if the value is not one.
func (n node) text(what string) (string, bool) {
	var text string
	if n.isNull() || json.Unmarshal(n.raw, &text) != nil {
		n.complain("%s must be a string.", what)
		return "", false
	}
	return text, true
}

func (n node) isNull() bool { return string(n.raw) == "null" }
