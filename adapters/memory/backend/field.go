package backend

import (
	"encoding/json"
	"math"
	"net/mail"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	port "github.com/atelierhq/atelier/ports/backend"
)

// field is a field of a schema in force.
type field struct {
	port.Field
	// key names the field's values in records: its id, or the name of a system field.
	key            string
	system, hidden bool
	options        fieldOptions
	pattern        *regexp.Regexp
}

// fieldOptions are the options that depend on the type.
type fieldOptions struct {
	Required      bool            `json:"required"`
	Hidden        bool            `json:"hidden"`
	Protected     bool            `json:"protected"`
	OnlyInt       bool            `json:"onlyInt"`
	OnCreate      bool            `json:"onCreate"`
	OnUpdate      bool            `json:"onUpdate"`
	CascadeDelete bool            `json:"cascadeDelete"`
	Min           json.RawMessage `json:"min"`
	Max           json.RawMessage `json:"max"`
	Pattern       string          `json:"pattern"`
	Values        []string        `json:"values"`
	MinSelect     int             `json:"minSelect"`
	MaxSelect     int             `json:"maxSelect"`
	MaxSize       int64           `json:"maxSize"`
	MimeTypes     []string        `json:"mimeTypes"`
	ExceptDomains []string        `json:"exceptDomains"`
	OnlyDomains   []string        `json:"onlyDomains"`
	CollectionID  string          `json:"collectionId"`
}

var fieldTypes = []string{"autodate", "bool", "date", "editor", "email", "file", "geoPoint", "json", "number", "password", "relation", "select", "text", "url"}

// newField builds a field of a collection.
func newField(from port.Field, collection string) (*field, *port.Problem) {
	f := &field{Field: from, key: from.ID}
	wrong := func(member, message string) (*field, *port.Problem) {
		return nil, &port.Problem{Collection: collection, Field: from.Name, Member: member, Message: message}
	}
	if !slices.Contains(fieldTypes, from.Type) {
		return wrong("", "The type "+strconv.Quote(from.Type)+" is unknown; types are "+strings.Join(fieldTypes, ", ")+".")
	}
	text, err := json.Marshal(from.Options)
	if err == nil && from.Options != nil {
		err = json.Unmarshal(text, &f.options)
	}
	if err != nil {
		return wrong("", sentence(err))
	}
	f.hidden = f.options.Hidden
	if f.options.Pattern != "" {
		if f.pattern, err = regexp.Compile(f.options.Pattern); err != nil {
			return wrong("pattern", sentence(err))
		}
	}
	if from.Type == "select" && len(f.options.Values) == 0 {
		return wrong("values", "A select needs its values.")
	}
	return f, nil
}

// many reports whether the field has a list of texts.
func (f *field) many() bool {
	switch f.Type {
	case "select", "relation", "file":
		return f.options.MaxSelect > 1
	}
	return false
}

// zero is the value of a field that was never set.
func (f *field) zero() any {
	switch {
	case f.many():
		return []string{}
	case f.Type == "number":
		return 0.0
	case f.Type == "bool":
		return false
	case f.Type == "json":
		return nil
	case f.Type == "geoPoint":
		return map[string]any{"lon": 0.0, "lat": 0.0}
	}
	return ""
}

func isZero(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case []string:
		return len(value) == 0
	case []any:
		return len(value) == 0
	case map[string]any:
		return len(value) == 0 || reflect.DeepEqual(value, map[string]any{"lon": 0.0, "lat": 0.0})
	}
	return reflect.ValueOf(value).IsZero()
}

// normalize returns a value as the field keeps it, whatever a request holds.
func (f *field) normalize(value any) any {
	switch {
	case f.many():
		return unique(textsOf(value))
	case f.Type == "number":
		return numberOf(value)
	case f.Type == "bool":
		return value == true || value == "true" || value == "1" || value == 1.0
	case f.Type == "json":
		text, isText := value.(string)
		var parsed any
		if isText && json.Unmarshal([]byte(text), &parsed) == nil {
			return parsed
		}
		return value
	case f.Type == "geoPoint":
		return geoPointOf(value)
	case f.Type == "date" || f.Type == "autodate":
		return dateOf(textOf(value))
	case f.Type == "select" || f.Type == "relation" || f.Type == "file":
		texts := textsOf(value)
		if len(texts) == 0 {
			return ""
		}
		return texts[len(texts)-1]
	}
	return textOf(value)
}

// flaw is why a value is refused, in PocketBase's words.
type flaw struct{ code, message string }

var (
	flawRequired = &flaw{"validation_required", "Cannot be blank."}
	flawInvalid  = &flaw{"validation_invalid_value", "Invalid value."}
	flawUnique   = &flaw{"validation_not_unique", "Value must be unique."}
)

// check returns why a value is not accepted, or nil. s has the records that relations name.
func (f *field) check(s *state, value any) *flaw {
	if isZero(value) {
		if f.options.Required {
			return flawRequired
		}
		return nil
	}
	switch f.Type {
	case "number":
		return f.checkNumber(value)
	case "select", "relation", "file":
		return f.checkChoice(s, textsOf(value))
	case "json":
		return nil
	}
	text, ok := value.(string)
	if !ok {
		return nil
	}
	return f.checkText(text)
}

func (f *field) checkNumber(value any) *flaw {
	number, ok := value.(float64)
	low, hasLow := decode[float64](f.options.Min)
	high, hasHigh := decode[float64](f.options.Max)
	switch {
	case !ok || math.IsNaN(number) || math.IsInf(number, 0):
		return &flaw{"validation_not_a_number", "The submitted number is not properly formatted."}
	case f.options.OnlyInt && number != math.Trunc(number):
		return &flaw{"validation_only_int_constraint", "Decimal numbers are not allowed."}
	case hasLow && number < low:
		return &flaw{"validation_min_number_constraint", "Must be larger than or equal to the minimum."}
	case hasHigh && number > high:
		return &flaw{"validation_max_number_constraint", "Must be less than or equal to the maximum."}
	}
	return nil
}

func (f *field) checkChoice(s *state, chosen []string) *flaw {
	if len(chosen) > max(f.options.MaxSelect, 1) {
		return &flaw{"validation_too_many_values", "Select no more than the maximum."}
	}
	if len(chosen) < f.options.MinSelect {
		return &flaw{"validation_not_enough_values", "Select at least the minimum."}
	}
	for _, one := range chosen {
		if f.Type == "select" && !slices.Contains(f.options.Values, one) {
			return &flaw{"validation_invalid_value", "Invalid value " + one + "."}
		}
		if f.Type == "relation" {
			if target := s.collection(f.options.CollectionID); target == nil || s.tables[target.ID][one] == nil {
				return &flaw{"validation_missing_rel_records", "Failed to find all relation records with the provided ids."}
			}
		}
	}
	return nil
}

// maxTextRunes is PocketBase's preset.
const maxTextRunes = 5000

func (f *field) checkText(text string) *flaw {
	length := utf8.RuneCountInString(text)
	switch f.Type {
	case "email":
		if address, err := mail.ParseAddress(text); err != nil || address.Address != text || !strings.Contains(text, ".") {
			return &flaw{"validation_is_email", "Must be a valid email address."}
		}
		return f.checkDomain(text[strings.LastIndex(text, "@")+1:])
	case "url":
		target, err := url.Parse(text)
		if err != nil || target.Scheme == "" || target.Host == "" {
			return &flaw{"validation_is_url", "Must be a valid URL."}
		}
		return f.checkDomain(target.Hostname())
	case "date", "autodate":
		low, _ := decode[string](f.options.Min)
		high, _ := decode[string](f.options.Max)
		if low != "" && text < dateOf(low) || high != "" && text > dateOf(high) {
			return &flaw{"validation_min_max_date", "The date is outside of the range."}
		}
	case "text":
		low, _ := decode[int](f.options.Min)
		high, _ := decode[int](f.options.Max)
		if high == 0 {
			high = maxTextRunes
		}
		switch {
		case length < low:
			return &flaw{"validation_min_text_constraint", "Must be at least " + strconv.Itoa(low) + " character(s)."}
		case length > high:
			return &flaw{"validation_max_text_constraint", "Must be no more than " + strconv.Itoa(high) + " character(s)."}
		case f.pattern != nil && !f.pattern.MatchString(text):
			return &flaw{"validation_invalid_format", "Invalid value format."}
		}
	case "editor":
		if most := f.options.MaxSize; int64(len(text)) > max(most, 5<<20) {
			return &flaw{"validation_content_size_limit", "The text is too large."}
		}
	}
	return nil
}

func (f *field) checkDomain(domain string) *flaw {
	if slices.Contains(f.options.ExceptDomains, domain) || len(f.options.OnlyDomains) > 0 && !slices.Contains(f.options.OnlyDomains, domain) {
		return &flaw{"validation_domain", "The domain is not allowed."}
	}
	return nil
}

// decode reads an option that may be absent.
func decode[T any](text json.RawMessage) (value T, ok bool) {
	if len(text) == 0 || string(text) == "null" {
		return value, false
	}
	err := json.Unmarshal(text, &value)
	return value, err == nil
}

// dateFormat is how PocketBase writes times.
const dateFormat = "2006-01-02 15:04:05.000Z"

// dateOf returns a time in PocketBase's form, and the empty text for what is none.
func dateOf(text string) string {
	for _, layout := range []string{dateFormat, time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC().Format(dateFormat)
		}
	}
	return ""
}
