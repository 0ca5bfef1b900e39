package values

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"time"
)

// Text returns a value as a text.
func Text(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		return value
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(value)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

// Texts returns a value as a list of texts, without empty ones.
func Texts(value any) []string {
	var texts []string
	switch value := value.(type) {
	case []string:
		texts = value
	case []any:
		for _, one := range value {
			texts = append(texts, Text(one))
		}
	case string:
		if json.Unmarshal([]byte(value), &texts) != nil {
			texts = []string{value}
		}
	default:
		texts = []string{Text(value)}
	}
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return text == "" })
}

// Unique returns a list without what is in it twice. It is not nil.
func Unique(texts []string) []string {
	kept := []string{}
	for _, text := range texts {
		if !slices.Contains(kept, text) {
			kept = append(kept, text)
		}
	}
	return kept
}

// Number returns a value as a float64, and the value itself if it is not a number.
func Number(value any) any {
	switch value := value.(type) {
	case nil:
		return 0.0
	case bool:
		return Truth(value)
	case string:
		if value == "" {
			return 0.0
		}
		if number, err := strconv.ParseFloat(value, 64); err == nil {
			return number
		}
	}
	return value
}

// Float returns a value as a number, 0 if it is not one.
func Float(value any) float64 {
	number, _ := Number(value).(float64)
	return number
}

// Truth returns a bool as a number: 1 or 0.
func Truth(value bool) float64 {
	if value {
		return 1
	}
	return 0
}

// GeoPoint returns a value as a place on the earth, with the members lon and lat.
func GeoPoint(value any) any {
	if text, ok := value.(string); ok {
		_ = json.Unmarshal([]byte(text), &value)
	}
	members, _ := value.(map[string]any)
	return map[string]any{"lon": Float(members["lon"]), "lat": Float(members["lat"])}
}

// Plain returns a value as SQLite would hold it: nil, float64 or string.
func Plain(value any) any {
	switch value := value.(type) {
	case nil, float64, string:
		return value
	case bool:
		return Truth(value)
	case int64:
		return float64(value)
	case int:
		return float64(value)
	}
	return Text(value)
}

// IsZero reports whether a value is what a field holds that was never set.
func IsZero(value any) bool {
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

// DateFormat is how PocketBase writes times.
const DateFormat = "2006-01-02 15:04:05.000Z"

// Date returns a time in PocketBase's form, and the empty text for a text that is not a time.
func Date(text string) string {
	for _, layout := range []string{DateFormat, time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC().Format(DateFormat)
		}
	}
	return ""
}

// Member returns what is at a path of names and indexes inside of a value, nil if nothing is.
func Member(value any, names []string) any {
	for _, name := range names {
		switch present := value.(type) {
		case map[string]any:
			value = present[name]
		case []any:
			index, err := strconv.Atoi(name)
			if err != nil || index < 0 || index >= len(present) {
				return nil
			}
			value = present[index]
		default:
			return nil
		}
	}
	return value
}
