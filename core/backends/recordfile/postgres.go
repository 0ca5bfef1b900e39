package recordfile

import (
	"encoding/json"
	"strings"
	"time"
)

// dateForm is the engine's format of dates.
const dateForm = "2006-01-02 15:04:05.000Z"

// dateForms are the formats of dates in files, with a blank before the time. Fractions of a second
// may follow it. Postgres writes zones as +00, and old ones with seconds.
var dateForms = []string{
	"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05Z07", "2006-01-02 15:04:05", time.DateOnly,
	"2006-01-02 15:04:05Z0700", "2006-01-02 15:04:05Z07:00:00", "2006-01-02 15:04", "2006-01-02 15:04Z07:00",
}

// date converts a date to the engine's format. Without a zone it is UTC.
func date(text string) (json.RawMessage, error) {
	if strings.EqualFold(strings.TrimLeft(text, "-+"), "infinity") {
		return nil, errEndless
	}
	const day = len(time.DateOnly)
	if len(text) > day && (text[day] == 'T' || text[day] == 't') {
		text = text[:day] + " " + text[day+1:]
	}
	for _, form := range dateForms {
		if at, err := time.Parse(form, text); err == nil {
			return encode(at.UTC().Format(dateForm)), nil
		}
	}
	return nil, errDate
}

// maxDimensions is how deep arrays of Postgres may be.
const maxDimensions = 6

// parseArray parses an array as Postgres writes it: {a,"b c",NULL,{1,2}}. What is not quoted and is
// a number in JSON is one, because the types of the items are not known.
func parseArray(text string) (items []any, ok bool) {
	if !strings.HasPrefix(text, "{") {
		return nil, false
	}
	array := arrayReader{rest: text}
	items, ok = array.list(1)
	return items, ok && array.rest == ""
}

type arrayReader struct{ rest string }

// list reads from a brace to the one that closes it.
func (a *arrayReader) list(depth int) ([]any, bool) {
	items := []any{}
	a.rest = a.rest[1:]
	if after, empty := strings.CutPrefix(a.rest, "}"); empty {
		a.rest = after
		return items, true
	}
	for a.rest != "" {
		var item any
		var ok bool
		switch {
		case a.rest[0] == '{' && depth < maxDimensions:
			item, ok = a.list(depth + 1)
		case a.rest[0] == '"':
			item, ok = a.quoted()
		default:
			item, ok = a.bare()
		}
		if !ok || a.rest == "" {
			return nil, false
		}
		items = append(items, item)
		sign := a.rest[0]
		a.rest = a.rest[1:]
		if sign == '}' {
			return items, true
		}
		if sign != ',' {
			return nil, false
		}
	}
	return nil, false
}

// quoted reads a text in quotes, in which a backslash stands before a quote and a backslash.
func (a *arrayReader) quoted() (any, bool) {
	var text strings.Builder
	for i := 1; i < len(a.rest); i++ {
		switch sign := a.rest[i]; {
		case sign == '"':
			a.rest = a.rest[i+1:]
			return text.String(), true
		case sign == '\\' && i+1 < len(a.rest):
			i++
			text.WriteByte(a.rest[i])
		default:
			text.WriteByte(sign)
		}
	}
	return nil, false
}

// bare reads an item without quotes.
func (a *arrayReader) bare() (any, bool) {
	end := strings.IndexAny(a.rest, `,}{"`)
	if end <= 0 {
		return nil, false
	}
	text := strings.TrimSpace(a.rest[:end])
	a.rest = a.rest[end:]
	number := json.Number(text)
	switch {
	case strings.EqualFold(text, "null"):
		return nil, true
	case json.Valid([]byte(text)) && strings.ContainsAny(text[:1], "-0123456789"):
		return number, true
	}
	return text, text != ""
}
