package attack

import (
	"crypto/rand"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/atelierhq/atelier/ports/backend"
)

// field is a field that a request may name.
type field struct {
	backend.Field
	options options
	hidden  bool
}

// options are the options of fields that determine valid values. Min and Max are numbers,
// or dates as texts.
type options struct {
	Required      bool            `json:"required"`
	Hidden        bool            `json:"hidden"`
	Protected     bool            `json:"protected"`
	OnlyInt       bool            `json:"onlyInt"`
	Min           json.RawMessage `json:"min"`
	Max           json.RawMessage `json:"max"`
	MaxSize       int             `json:"maxSize"`
	Pattern       string          `json:"pattern"`
	Values        []string        `json:"values"`
	MinSelect     int             `json:"minSelect"`
	MaxSelect     int             `json:"maxSelect"`
	CollectionID  string          `json:"collectionId"`
	MimeTypes     []string        `json:"mimeTypes"`
	OnlyDomains   []string        `json:"onlyDomains"`
	ExceptDomains []string        `json:"exceptDomains"`
}

// fieldsOf returns the fields of a collection's records that requests may set.
func fieldsOf(collection backend.Collection) []field {
	var fields []field
	add := func(one backend.Field) {
		if slices.ContainsFunc(fields, func(f field) bool { return f.Name == one.Name }) {
			return
		}
		f := field{Field: one}
		// The engine has accepted the options. Options of another form are ignored.
		text, _ := json.Marshal(one.Options)
		_ = json.Unmarshal(text, &f.options)
		f.hidden = f.options.Hidden || one.Type == "password"
		fields = append(fields, f)
	}
	for _, one := range collection.Fields {
		if one.Name != "id" && one.Type != "autodate" && one.Name != "tokenKey" {
			add(one)
		}
	}
	if collection.Type == backend.Auth {
		add(backend.Field{Name: "email", Type: "email"})
		add(backend.Field{Name: "emailVisibility", Type: "bool"})
		add(backend.Field{Name: "verified", Type: "bool"})
		add(backend.Field{Name: "password", Type: "password"})
	}
	return fields
}

func (f field) number(option json.RawMessage) (float64, bool) {
	var number float64
	ok := len(option) > 0 && string(option) != "null" && json.Unmarshal(option, &number) == nil
	return number, ok
}

// many reports whether a field holds a list.
func (f field) many() bool { return f.options.MaxSelect > 1 }

// value returns a valid value, a different one for each n. Files and relations have none.
func (f field) value(n int) any {
	switch f.Type {
	case "number":
		return f.numberValue(n)
	case "bool":
		return n%2 == 0
	case "email":
		return "p" + random(12) + "@" + f.domain()
	case "url":
		return "https://" + f.domain() + "/" + random(8)
	case "date":
		return f.dateValue(n)
	case "select":
		if len(f.options.Values) == 0 {
			return nil
		}
		one := f.options.Values[n%len(f.options.Values)]
		if f.many() {
			return []string{one}
		}
		return one
	case "json":
		return map[string]any{"value": random(8)}
	case "geoPoint":
		return map[string]any{"lon": 13.25 + float64(n), "lat": 52.5}
	case "editor":
		return "<p>" + random(12) + "</p>"
	}
	return f.textValue()
}

// numberValue is not zero, if possible, because zero means no value.
func (f field) numberValue(n int) float64 {
	low, hasLow := f.number(f.options.Min)
	high, hasHigh := f.number(f.options.Max)
	value := float64(7 + n)
	if value == 0 || hasLow && value < low {
		value = math.Ceil(low) + float64(n)
	}
	if hasHigh && value > high {
		value = math.Floor(high)
	}
	if hasLow && value < low {
		value = low
	}
	return value
}

// dateValue alternates between the past and the future.
func (f field) dateValue(n int) string {
	at := time.Now().UTC().AddDate(0, 0, -30-n)
	if n%2 == 1 {
		at = at.AddDate(1, 0, 0)
	}
	bound := func(option json.RawMessage) (time.Time, bool) {
		var text string
		if json.Unmarshal(option, &text) != nil || text == "" {
			return time.Time{}, false
		}
		for _, form := range []string{"2006-01-02 15:04:05.999Z07:00", time.RFC3339Nano, time.DateOnly, time.DateTime} {
			if parsed, err := time.Parse(form, text); err == nil {
				return parsed, true
			}
		}
		return time.Time{}, false
	}
	if low, ok := bound(f.options.Min); ok && at.Before(low) {
		at = low
	}
	if high, ok := bound(f.options.Max); ok && at.After(high) {
		at = high
	}
	return at.UTC().Format("2006-01-02 15:04:05.000Z")
}

// domain returns a domain that a field of e-mail addresses or URLs accepts.
func (f field) domain() string {
	if len(f.options.OnlyDomains) > 0 {
		return f.options.OnlyDomains[0]
	}
	if slices.Contains(f.options.ExceptDomains, "example.com") {
		return "example.org"
	}
	return "example.com"
}

// textValue is a text, or a password.
func (f field) textValue() string {
	low, _ := f.number(f.options.Min)
	high, hasHigh := f.number(f.options.Max)
	if f.options.Pattern != "" {
		if found := matching(f.options.Pattern, int(low)); found != "" {
			return found
		}
	}
	length := max(16, int(low))
	if hasHigh && high > 0 {
		length = min(length, int(high))
	}
	if f.Type == "password" {
		return ("Aa1!" + random(max(length, 12)))[:max(length, 8)]
	}
	return random(min(length, 2000))
}

// random returns letters and digits.
func random(length int) string {
	var text strings.Builder
	for text.Len() < length {
		text.WriteString(strings.ToLower(rand.Text()))
	}
	return text.String()[:length]
}

// matching returns a text that matches a pattern, or "".
func matching(pattern string, low int) string {
	expression, err := regexp.Compile(pattern)
	if err != nil {
		return ""
	}
	for _, length := range []int{0, 1, 2, 3, 4, 6, 8, 12, 16, 32} {
		if found := sample(pattern, length); expression.MatchString(found) && len(found) >= low && found != "" {
			return found
		}
	}
	return ""
}

// upload is a file for a file field.
type upload struct{ name, kind, content string }

// uploads are files of types that fields often require.
var uploads = []upload{
	{"note.txt", "text/plain", "a note of the victim"},
	{"picture.png", "image/png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\nIDATx\x9cc\x00\x01\x00\x00\x05\x00\x01\r\n-\xb4\x00\x00\x00\x00IEND\xaeB`\x82"},
	{"picture.jpg", "image/jpeg", "\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xd9"},
	{"paper.pdf", "application/pdf", "%PDF-1.4\n%%EOF\n"},
	{"picture.webp", "image/webp", "RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00/\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"},
	{"picture.gif", "image/gif", "GIF89a\x01\x00\x01\x00\x00\x00\x00;"},
	{"picture.svg", "image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg"></svg>`},
	{"table.csv", "text/csv", "a,b\n1,2\n3,4\n"},
	{"data.json", "application/json", `{"a": 1}`},
	{"film.mp4", "video/mp4", "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom"},
	{"sound.mp3", "audio/mpeg", "ID3\x03\x00\x00\x00\x00\x00\x00"},
	{"files.zip", "application/zip", "PK\x05\x06" + strings.Repeat("\x00", 18)},
}

// file returns a file that the field accepts.
func (f field) file() upload {
	for _, one := range uploads {
		if len(f.options.MimeTypes) == 0 || slices.Contains(f.options.MimeTypes, one.kind) {
			return one
		}
	}
	return uploads[0]
}
