package records

import (
	"encoding/json"
	"math"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/atelierhq/atelier/adapters/memory/backend/values"
)

// Flaw is why a value is refused, in PocketBase's words.
type Flaw struct{ Code, Message string }

// The flaws that many values can have.
var (
	FlawRequired = &Flaw{"validation_required", "Cannot be blank."}
	FlawInvalid  = &Flaw{"validation_invalid_value", "Invalid value."}
	flawUnique   = &Flaw{"validation_not_unique", "Value must be unique."}
)

// Invalid is the error of a change that the records do not accept. Flaws are by the names of fields.
type Invalid struct {
	Message string
	Flaws   map[string]*Flaw
}

// Error implements error.
func (i *Invalid) Error() string { return i.Message }

// Check returns why the field does not accept a value, or nil. s has the records that relations name.
func (f *Field) Check(s *State, value any) *Flaw {
	if values.IsZero(value) {
		if f.Options.Required {
			return FlawRequired
		}
		return nil
	}
	switch f.Type {
	case "number":
		return f.checkNumber(value)
	case "select", "relation", "file":
		return f.checkChoice(s, values.Texts(value))
	case "json":
		return nil
	}
	text, ok := value.(string)
	if !ok {
		return nil
	}
	return f.checkText(text)
}

// checkNumber checks a number against its bounds.
func (f *Field) checkNumber(value any) *Flaw {
	number, ok := value.(float64)
	low, hasLow := decode[float64](f.Options.Min)
	high, hasHigh := decode[float64](f.Options.Max)
	switch {
	case !ok || math.IsNaN(number) || math.IsInf(number, 0):
		return &Flaw{"validation_not_a_number", "The submitted number is not properly formatted."}
	case f.Options.OnlyInt && number != math.Trunc(number):
		return &Flaw{"validation_only_int_constraint", "Decimal numbers are not allowed."}
	case hasLow && number < low:
		return &Flaw{"validation_min_number_constraint", "Must be larger than or equal to the minimum."}
	case hasHigh && number > high:
		return &Flaw{"validation_max_number_constraint", "Must be less than or equal to the maximum."}
	}
	return nil
}

// checkChoice checks a select, a relation or the names of files.
func (f *Field) checkChoice(s *State, chosen []string) *Flaw {
	if len(chosen) > max(f.Options.MaxSelect, 1) {
		return &Flaw{"validation_too_many_values", "Select no more than the maximum."}
	}
	if len(chosen) < f.Options.MinSelect {
		return &Flaw{"validation_not_enough_values", "Select at least the minimum."}
	}
	for _, one := range chosen {
		if f.Type == "select" && !slices.Contains(f.Options.Values, one) {
			return &Flaw{"validation_invalid_value", "Invalid value " + one + "."}
		}
		if f.Type == "relation" {
			if target := s.Collection(f.Options.CollectionID); target == nil || s.stored[target.ID][one] == nil {
				return &Flaw{"validation_missing_rel_records", "Failed to find all relation records with the provided ids."}
			}
		}
	}
	return nil
}

// maxTextRunes is PocketBase's preset.
const maxTextRunes = 5000

// checkText checks a text by the type of the field.
func (f *Field) checkText(text string) *Flaw {
	length := utf8.RuneCountInString(text)
	switch f.Type {
	case "email":
		if address, err := mail.ParseAddress(text); err != nil || address.Address != text || !strings.Contains(text, ".") {
			return &Flaw{"validation_is_email", "Must be a valid email address."}
		}
		return f.checkDomain(text[strings.LastIndex(text, "@")+1:])
	case "url":
		target, err := url.Parse(text)
		if err != nil || target.Scheme == "" || target.Host == "" {
			return &Flaw{"validation_is_url", "Must be a valid URL."}
		}
		return f.checkDomain(target.Hostname())
	case "date", "autodate":
		low, _ := decode[string](f.Options.Min)
		high, _ := decode[string](f.Options.Max)
		if low != "" && text < values.Date(low) || high != "" && text > values.Date(high) {
			return &Flaw{"validation_min_max_date", "The date is outside of the range."}
		}
	case "text":
		low, _ := decode[int](f.Options.Min)
		high, _ := decode[int](f.Options.Max)
		if high == 0 {
			high = maxTextRunes
		}
		switch {
		case length < low:
			return &Flaw{"validation_min_text_constraint", "Must be at least " + strconv.Itoa(low) + " character(s)."}
		case length > high:
			return &Flaw{"validation_max_text_constraint", "Must be no more than " + strconv.Itoa(high) + " character(s)."}
		case f.pattern != nil && !f.pattern.MatchString(text):
			return &Flaw{"validation_invalid_format", "Invalid value format."}
		}
	case "editor":
		if most := f.Options.MaxSize; int64(len(text)) > max(most, 5<<20) {
			return &Flaw{"validation_content_size_limit", "The text is too large."}
		}
	}
	return nil
}

// checkDomain checks the domain of an address.
func (f *Field) checkDomain(domain string) *Flaw {
	if slices.Contains(f.Options.ExceptDomains, domain) || len(f.Options.OnlyDomains) > 0 && !slices.Contains(f.Options.OnlyDomains, domain) {
		return &Flaw{"validation_domain", "The domain is not allowed."}
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
