package recordfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// What values must be.
var (
	errNumber  = core.Errorf(core.CodeValidationFailed, "must be a number")
	errBool    = core.Errorf(core.CodeValidationFailed, "must be true or false")
	errDate    = core.Errorf(core.CodeValidationFailed, "must be a date such as 2030-01-31 or 2030-01-31T12:00:00Z")
	errEndless = core.Errorf(core.CodeValidationFailed, "must be a date, not infinity: leave it empty, or write one such as 9999-12-31")
	errJSON    = core.Errorf(core.CodeValidationFailed, "must be JSON")
	errPoint   = core.Errorf(core.CodeValidationFailed, `must be an object such as {"lon": 13.4, "lat": 52.5}`)
	errList    = core.Errorf(core.CodeValidationFailed, "must be a string or a list of strings")
	errText    = core.Errorf(core.CodeValidationFailed, "must be a string")
)

// ruleOf returns the rule that an error of this package names.
func ruleOf(err error) core.Phrase {
	var known *core.Error
	if errors.As(err, &known) {
		return known.Phrase()
	}
	return core.PhraseOf(err.Error())
}

// isText reports whether the column has texts as they are.
func (c column) isText() bool {
	switch c.kind {
	case kindID, kindNumber, kindBool, kindDate, kindAutodate, kindJSON, kindPoint, kindSelect, kindRelation, kindFile:
		return false
	}
	return true
}

// none is the value of an empty cell: nil if the field is left out.
func (c column) none() json.RawMessage {
	switch c.kind {
	case kindID, kindAutodate, kindFile, kindPassword:
		return nil
	}
	return json.RawMessage("null")
}

// isNone reports whether a cell is empty, or has what databases write for that. NULL may be
// somebody's name.
func (c column) isNone(trimmed string) bool {
	return trimmed == "" || trimmed == `\N` || strings.EqualFold(trimmed, "null") && c.kind != kindText && c.kind != kindEditor
}

// typed converts the JSON of a value. It returns nil for a value to omit.
func (c column) typed(value json.RawMessage) (json.RawMessage, error) {
	value = bytes.TrimSpace(value)
	var text string
	isText := json.Unmarshal(value, &text) == nil
	switch {
	case c.kind == kindFile:
		return nil, nil
	case len(value) == 0 || string(value) == "null":
		return c.none(), nil
	case c.kind == kindJSON, c.isText() && isText:
		return value, nil
	case c.isText():
		return nil, errText
	case isText:
		return c.cell(text)
	case c.kind == kindSelect || c.kind == kindRelation:
		return c.list(value)
	}
	return c.cell(string(value))
}

// cell converts a cell of a table to JSON. It returns nil for a value to omit.
func (c column) cell(text string) (json.RawMessage, error) {
	trimmed := strings.TrimSpace(text)
	switch {
	case c.kind == kindFile:
		return nil, nil
	case c.isNone(trimmed):
		return c.none(), nil
	}
	switch c.kind {
	case kindID:
		return encode(c.ids.adopt(trimmed)), nil
	case kindNumber:
		number, err := strconv.ParseFloat(trimmed, 64)
		if err != nil || math.IsInf(number, 0) || math.IsNaN(number) {
			return nil, errNumber
		}
		return encode(number), nil
	case kindBool:
		yes, err := strconv.ParseBool(strings.ToLower(trimmed))
		if err != nil {
			return nil, errBool
		}
		return encode(yes), nil
	case kindDate, kindAutodate:
		return date(trimmed)
	case kindJSON:
		return jsonCell(trimmed)
	case kindPoint:
		return point(trimmed)
	case kindSelect, kindRelation:
		return c.choice(trimmed)
	}
	return encode(text), nil
}

// jsonCell converts JSON, or an array of Postgres.
func jsonCell(trimmed string) (json.RawMessage, error) {
	if json.Valid([]byte(trimmed)) {
		return json.RawMessage(trimmed), nil
	}
	if items, ok := parseArray(trimmed); ok {
		return encode(items), nil
	}
	return nil, errJSON
}

// choice converts what a select or a relation has: one text, a list in JSON, or an array of Postgres.
func (c column) choice(trimmed string) (json.RawMessage, error) {
	if strings.HasPrefix(trimmed, "[") && json.Valid([]byte(trimmed)) {
		return c.list(json.RawMessage(trimmed))
	}
	if items, ok := parseArray(trimmed); ok {
		return c.list(encode(items))
	}
	return encode(c.ids.adopt(trimmed)), nil
}

// list converts a list of texts and numbers, or a single number.
func (c column) list(value json.RawMessage) (json.RawMessage, error) {
	if value[0] != '[' {
		if value[0] == '{' {
			return nil, errList
		}
		return c.choice(string(value))
	}
	var items []json.RawMessage
	if json.Unmarshal(value, &items) != nil {
		return nil, errList
	}
	items = slices.DeleteFunc(items, func(item json.RawMessage) bool { return string(item) == "null" })
	texts := make([]string, len(items))
	for i, item := range items {
		if json.Unmarshal(item, &texts[i]) != nil {
			if item[0] == '[' || item[0] == '{' {
				return nil, errList
			}
			texts[i] = string(item)
		}
		texts[i] = c.ids.adopt(texts[i])
	}
	return encode(texts), nil
}

// point converts an object, or a point of Postgres: (13.4,52.5).
func point(trimmed string) (json.RawMessage, error) {
	if strings.HasPrefix(trimmed, "{") && json.Valid([]byte(trimmed)) {
		return json.RawMessage(trimmed), nil
	}
	inner, isPoint := strings.CutPrefix(strings.TrimSuffix(trimmed, ")"), "(")
	var place [2]json.Number
	if isPoint && json.Unmarshal([]byte("["+inner+"]"), &place) == nil {
		return encode(map[string]json.Number{"lon": place[0], "lat": place[1]}), nil
	}
	return nil, errPoint
}

// encode returns the JSON of a value of which every part encodes.
func encode(value any) json.RawMessage {
	text, _ := json.Marshal(value)
	return text
}

// formulaSigns are the first characters of spreadsheet formulas.
const formulaSigns = "=+-@\t\r"

// guarded puts a ' before a text that a spreadsheet would run as a formula: strangers write
// it, and members open it. unguarded removes it again.
func guarded(text string) string {
	if bare := strings.TrimLeft(text, "'"); bare != "" && strings.Contains(formulaSigns, bare[:1]) {
		return "'" + text
	}
	return text
}

func unguarded(text string) string {
	bare := strings.TrimLeft(text, "'")
	if len(bare) < len(text) && bare != "" && strings.Contains(formulaSigns, bare[:1]) {
		return text[1:]
	}
	return text
}
