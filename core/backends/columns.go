package backends

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// column is a field of a collection's records.
type column struct{ name, kind string }

// Types whose values need conversion. All others are texts.
const (
	kindNumber   = "number"
	kindBool     = "bool"
	kindDate     = "date"
	kindAutodate = "autodate"
	kindJSON     = "json"
	kindPoint    = "geoPoint"
	kindSelect   = "select"
	kindRelation = "relation"
	kindFile     = "file"
	kindPassword = "password"
	kindText     = "text"
)

// columnsOf returns the columns of a collection, which is not a view, in the schema's order.
func columnsOf(collection backend.Collection) []column {
	columns := []column{{"id", kindText}}
	if collection.Type == backend.Auth {
		columns = append(columns, column{"email", kindText}, column{"emailVisibility", kindBool}, column{"verified", kindBool})
	}
	for _, field := range collection.Fields {
		if !isSystem(collection, field.Name) {
			columns = append(columns, column{field.Name, field.Type})
		}
	}
	return columns
}

// typed checks the JSON of a value. It returns nil for a value to omit.
func (c column) typed(value json.RawMessage) (json.RawMessage, error) {
	value = bytes.TrimSpace(value)
	if c.kind == kindFile || len(value) == 0 || string(value) == "null" {
		return nil, nil
	}
	var text string
	isText := json.Unmarshal(value, &text) == nil
	switch c.kind {
	case kindJSON:
		return value, nil
	case kindNumber:
		return value, c.want(value[0] == '-' || value[0] >= '0' && value[0] <= '9', "a number")
	case kindBool:
		return value, c.want(value[0] == 't' || value[0] == 'f', "true or false")
	case kindPoint:
		return value, c.want(value[0] == '{', `an object such as {"lon": 13.4, "lat": 52.5}`)
	case kindSelect, kindRelation:
		return value, c.want(isText || isTexts(value), "a string or a list of strings")
	case kindDate, kindAutodate:
		if !isText {
			return nil, c.want(false, "a date as a string")
		}
		return c.date(text)
	}
	return value, c.want(isText, "a string")
}

func isTexts(value json.RawMessage) bool {
	var many []string
	return json.Unmarshal(value, &many) == nil
}

// want returns an error unless ok.
func (c column) want(ok bool, what string) error {
	if ok {
		return nil
	}
	return core.Errorf(core.CodeValidationFailed, "%s must be %s", c.name, what)
}

// dateForm is the engine's format of dates.
const dateForm = "2006-01-02 15:04:05.000Z"

// date converts a date to the engine's format. Without a zone it is UTC.
func (c column) date(text string) (json.RawMessage, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	for _, form := range []string{time.RFC3339Nano, "2006-01-02 15:04:05Z07:00", time.DateTime, "2006-01-02T15:04:05", time.DateOnly} {
		if at, err := time.Parse(form, text); err == nil {
			return encode(at.UTC().Format(dateForm)), nil
		}
	}
	return nil, c.want(false, "a date such as 2030-01-31 or 2030-01-31T12:00:00Z")
}

// cell converts a cell of a table to JSON; nil if it is empty.
func (c column) cell(text string) (json.RawMessage, error) {
	trimmed := strings.TrimSpace(text)
	switch {
	case trimmed == "" || c.kind == kindFile:
		return nil, nil
	case c.kind == kindNumber:
		number, err := strconv.ParseFloat(trimmed, 64)
		if err != nil || math.IsInf(number, 0) || math.IsNaN(number) {
			return nil, c.want(false, "a number")
		}
		return encode(number), nil
	case c.kind == kindBool:
		yes, err := strconv.ParseBool(strings.ToLower(trimmed))
		return encode(yes), c.want(err == nil, "true or false")
	case c.kind == kindJSON || c.kind == kindPoint:
		if !json.Valid([]byte(trimmed)) {
			return nil, c.want(false, "JSON")
		}
		return c.typed(json.RawMessage(trimmed))
	case (c.kind == kindSelect || c.kind == kindRelation) && isTexts(json.RawMessage(trimmed)):
		return json.RawMessage(trimmed), nil
	case c.kind == kindDate || c.kind == kindAutodate:
		return c.date(trimmed)
	}
	return encode(unguarded(text)), nil
}

// encode returns the JSON of a string, a bool or a finite number, which always encodes.
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
