package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/atelierhq/atelier/core"
)

// decodeArgs reads a call's arguments into the tool's own type, strictly, so that
// the model learns of a misspelt member.
func decodeArgs(args json.RawMessage, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(args))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return core.Errorf(core.CodeInvalidRequest, "the arguments are wrong: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return core.Errorf(core.CodeInvalidRequest, "the arguments must be one JSON object")
	}
	return nil
}

// count is a number that models also write as text. Anything but a positive number
// is 0.
type count int

// UnmarshalJSON implements json.Unmarshaler.
func (c *count) UnmarshalJSON(data []byte) error {
	n, err := strconv.ParseFloat(strings.Trim(string(data), `"`), 64)
	switch {
	case string(data) == "null" || string(data) == `""`:
		*c = 0
	case err != nil:
		return errors.New("json: cannot unmarshal " + string(data) + " into a whole number")
	default:
		*c = count(max(0, min(n, 1<<30)))
	}
	return nil
}

// remarks are the members in which models explain why they make a call.
var remarks = []string{
	"explanation", "reason", "reasoning", "thought", "thoughts", "comment", "comments", "note", "notes", "purpose", "rationale",
	"justification", "description", "summary", "intent", "why", "title", "instruction", "instructions", "tool", "name", "type", "security_risk",
}

// withoutRemarks removes members that the tool does not have from a call's
// arguments: those that only comment on the call, and any others if all of the
// tool's own are present.
func withoutRemarks(args json.RawMessage, parameters string) json.RawMessage {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(parameters), &schema) != nil || json.Unmarshal(args, &members) != nil {
		return args
	}
	missing, extra := 0, false
	for name := range schema.Properties {
		if _, given := members[name]; !given {
			missing++
		}
	}
	for name := range members {
		if _, known := schema.Properties[name]; !known && (missing == 0 || slices.Contains(remarks, strings.ToLower(name))) {
			delete(members, name)
			extra = true
		}
	}
	if !extra {
		return args
	}
	cleaned, err := json.Marshal(members)
	if err != nil {
		return args
	}
	return cleaned
}

// NameOf returns the tool that a model means by functions.read_file, Read_File,
// read-file or readFile. It returns any other name unchanged.
func NameOf(name string) string {
	letters := func(text string) string {
		return strings.Map(func(r rune) rune {
			if !unicode.IsLetter(r) {
				return -1
			}
			return unicode.ToLower(r)
		}, text)
	}
	plain := name[strings.LastIndexAny(name, ".:/")+1:]
	for _, known := range Names() {
		if letters(known) == letters(plain) {
			return known
		}
	}
	return name
}
