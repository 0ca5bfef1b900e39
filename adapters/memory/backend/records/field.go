package records

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/atelierhq/atelier/adapters/memory/backend/values"
	port "github.com/atelierhq/atelier/ports/backend"
)

// Field is a field of a collection in force.
type Field struct {
	ID, Name, Type string
	Options        FieldOptions
	// Key names the field's values in records: its id, or the name of a system field.
	Key string
	// System fields are always there, Hidden ones are for members only.
	System, Hidden bool

	pattern *regexp.Regexp
}

// FieldOptions are the options that depend on the type.
type FieldOptions struct {
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
	Cost          int             `json:"cost"`
}

var fieldTypes = []string{"autodate", "bool", "date", "editor", "email", "file", "geoPoint", "json", "number", "password", "relation", "select", "text", "url"}

// newField builds a field of a collection.
func newField(from port.Field, collection string) (*Field, *port.Problem) {
	f := &Field{ID: from.ID, Name: from.Name, Type: from.Type, Key: from.ID}
	wrong := func(member, message string) (*Field, *port.Problem) {
		return nil, &port.Problem{Collection: collection, Field: from.Name, Member: member, Message: message}
	}
	if !slices.Contains(fieldTypes, from.Type) {
		return wrong("", "The type "+strconv.Quote(from.Type)+" is unknown; types are "+strings.Join(fieldTypes, ", ")+".")
	}
	text, err := json.Marshal(from.Options)
	if err == nil && from.Options != nil {
		err = json.Unmarshal(text, &f.Options)
	}
	if err != nil {
		return wrong("", Sentence(err))
	}
	f.Hidden = f.Options.Hidden
	if f.Options.Pattern != "" {
		if f.pattern, err = regexp.Compile(f.Options.Pattern); err != nil {
			return wrong("pattern", Sentence(err))
		}
	}
	if from.Type == "select" && len(f.Options.Values) == 0 {
		return wrong("values", "A select needs its values.")
	}
	if from.Type == "password" && f.Options.Cost > port.MaxPasswordCost {
		return wrong("cost", "Must be no more than "+strconv.Itoa(port.MaxPasswordCost)+".")
	}
	return f, nil
}

// Many reports whether the field has a list of texts.
func (f *Field) Many() bool {
	switch f.Type {
	case "select", "relation", "file":
		return f.Options.MaxSelect > 1
	}
	return false
}

// zero is the value of a field that was never set.
func (f *Field) zero() any {
	switch {
	case f.Many():
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

// Normalize returns a value as the field keeps it, whatever a request holds.
func (f *Field) Normalize(value any) any {
	switch {
	case f.Many():
		return values.Unique(values.Texts(value))
	case f.Type == "number":
		return values.Number(value)
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
		return values.GeoPoint(value)
	case f.Type == "date" || f.Type == "autodate":
		return values.Date(values.Text(value))
	case f.Type == "select" || f.Type == "relation" || f.Type == "file":
		texts := values.Texts(value)
		if len(texts) == 0 {
			return ""
		}
		return texts[len(texts)-1]
	}
	return values.Text(value)
}
