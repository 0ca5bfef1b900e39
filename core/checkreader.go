package core

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// checkReader reads values of a JSON file.
type checkReader struct {
	file []byte
	// refs allows references as targets.
	refs bool
}

// checkValue is a JSON value with its name for messages, and its offset in the file.
type checkValue struct {
	name   string
	offset int
	raw    json.RawMessage
}

func readCheck(text []byte) (checkReader, checkValue, error) {
	text = WithoutMark(text)
	reader := checkReader{file: text}
	root := checkValue{raw: text}
	if !utf8.Valid(text) {
		return reader, root, checkFault(text, 0, "the file is not valid UTF-8")
	}
	var any json.RawMessage
	if err := json.Unmarshal(text, &any); err != nil {
		at := len(text)
		if syntax := new(json.SyntaxError); errors.As(err, &syntax) {
			at = max(int(syntax.Offset)-1, 0)
		}
		return reader, root, checkFault(text, at, "this is not valid JSON: %s", err)
	}
	return reader, root, nil
}

// checkFault is the error about a place in a file.
func checkFault(text []byte, offset int, format string, args ...any) error {
	before := text[:min(offset, len(text))]
	err := Errorf(CodeValidationFailed, format, args...)
	err.Diagnostics = []Diagnostic{{
		Line:    bytes.Count(before, []byte("\n")) + 1,
		Column:  len(before) - bytes.LastIndexByte(before, '\n'),
		Message: err.Message,
	}}
	return err
}

// fault is the error about a value.
func (r checkReader) fault(value checkValue, format string, args ...any) error {
	if value.name != "" {
		format = "%s " + format
		args = append([]any{value.name}, args...)
	}
	return checkFault(r.file, value.offset, format, args...)
}

// required reads a text that must be there.
func (r checkReader) required(object checkValue, members map[string]checkValue, name string) (string, error) {
	value, found := members[name]
	if !found {
		return "", r.fault(object, "%s is missing", name)
	}
	return r.text(value)
}

func (r checkReader) text(value checkValue) (string, error) {
	var text string
	if string(value.raw) == "null" || json.Unmarshal(value.raw, &text) != nil {
		return "", r.fault(value, "must be a string")
	}
	if len(text) > MaxCheckText {
		return "", r.fault(value, "must have at most %d bytes", MaxCheckText)
	}
	return text, nil
}

func (r checkReader) number(value checkValue, least int) (int, error) {
	var number float64
	if json.Unmarshal(value.raw, &number) != nil || string(value.raw) == "null" || number != math.Trunc(number) || number < float64(least) || number > MaxCheckCount {
		return 0, r.fault(value, "must be a whole number from %d to %d", least, MaxCheckCount)
	}
	return int(number), nil
}

// object returns the members of an object, which has no others than those allowed.
func (r checkReader) object(object checkValue, allowed ...string) (map[string]checkValue, error) {
	decoder := json.NewDecoder(bytes.NewReader(object.raw))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil, r.fault(object, "must be an object")
	}
	members := make(map[string]checkValue)
	for decoder.More() {
		token, err := decoder.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			return nil, r.fault(object, "must be an object")
		}
		full := name
		if object.name != "" {
			full = object.name + "." + name
		}
		value, err := next(decoder, object, full)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(allowed, name) {
			value.name = ""
			return nil, r.fault(value, "%s is unknown: here are %s", CleanName(shortened(full)), strings.Join(allowed, ", "))
		}
		if _, twice := members[name]; twice {
			return nil, r.fault(value, "is there twice")
		}
		members[name] = value
	}
	return members, nil
}

// shortened bounds a text of a file for a message.
func shortened(text string) string {
	if len(text) <= maxCheckWord {
		return text
	}
	return strings.ToValidUTF8(text[:maxCheckWord], "") + "…"
}

// array returns the items of an array.
func (r checkReader) array(list checkValue) ([]checkValue, error) {
	decoder := json.NewDecoder(bytes.NewReader(list.raw))
	if token, err := decoder.Token(); err != nil || token != json.Delim('[') {
		return nil, r.fault(list, "must be an array")
	}
	var items []checkValue
	for decoder.More() {
		item, err := next(decoder, list, fmt.Sprintf("%s[%d]", list.name, len(items)))
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}

// next reads the next value of a decoder over a value.
func next(decoder *json.Decoder, in checkValue, name string) (checkValue, error) {
	var raw json.RawMessage
	if err := decoder.Decode(&raw); err != nil && !errors.Is(err, io.EOF) {
		return checkValue{}, Wrap(CodeValidationFailed, err, "this is not valid JSON")
	}
	return checkValue{name: name, offset: in.offset + int(decoder.InputOffset()) - len(raw), raw: raw}, nil
}
