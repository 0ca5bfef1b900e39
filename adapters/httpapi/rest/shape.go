package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// maxDepth bounds the nesting of a body. No route needs more than four levels.
const maxDepth = 32

// Shape is a type that decodes itself from JSON of another type's shape. Decode
// validates a body against that shape, and accepts null if it is a pointer.
type Shape interface {
	// JSONElement returns the type whose shape the JSON has. It is called on a zero
	// value.
	JSONElement() reflect.Type
}

// JSONElement implements Shaped: it lets Decode see through Optional.
func (o Optional[T]) JSONElement() reflect.Type { return reflect.TypeFor[*T]() }

// shape compares a JSON value with a Go type. encoding/json alone would accept names in
// any case, the last of two equal names, and null for everything.
type shape struct{ tokens *json.Decoder }

// checkShape checks a body that is valid JSON.
func checkShape(body []byte, into any) error {
	s := shape{json.NewDecoder(bytes.NewReader(body))}
	s.tokens.UseNumber()
	return s.value("the body", reflect.TypeOf(into).Elem(), 0)
}

// value reads one value at a place and compares it with want; nil accepts anything.
func (s shape) value(at string, want reflect.Type, depth int) error {
	if depth > maxDepth {
		return core.Errorf(core.CodeInvalidRequest, "the body nests deeper than %d levels", maxDepth)
	}
	token, err := s.tokens.Token()
	if err != nil {
		return core.Wrap(core.CodeInvalidRequest, err, "the body is not one JSON value")
	}
	want, nullable := plain(want)
	switch token {
	case nil:
		if !nullable {
			return mismatch(at, want)
		}
		return nil
	case json.Delim('{'):
		return s.object(at, want, depth)
	case json.Delim('['):
		return s.list(at, want, depth)
	}
	return scalar(at, token, want)
}

// plain looks through pointers and Optional, which accept null. The shape of a type with
// its own decoder is unknown.
func plain(want reflect.Type) (bare reflect.Type, nullable bool) {
	for want != nil {
		if shaped, ok := reflect.Zero(want).Interface().(Shape); ok {
			want = shaped.JSONElement()
		} else if want.Kind() == reflect.Pointer {
			want, nullable = want.Elem(), true
		} else if reflect.PointerTo(want).Implements(reflect.TypeFor[json.Unmarshaler]()) || want.Kind() == reflect.Interface {
			return nil, nullable || want.Kind() == reflect.Interface
		} else {
			return want, nullable
		}
	}
	return nil, true
}

func (s shape) object(at string, want reflect.Type, depth int) error {
	if want != nil && want.Kind() != reflect.Struct && want.Kind() != reflect.Map {
		return mismatch(at, want)
	}
	fields := fieldsOf(want)
	seen := map[string]bool{}
	for s.tokens.More() {
		token, err := s.tokens.Token()
		if err != nil {
			return core.Wrap(core.CodeInvalidRequest, err, "the body is not one JSON value")
		}
		name := fmt.Sprint(token)
		place := member(at, name)
		if seen[name] {
			return core.Errorf(core.CodeInvalidRequest, "%s occurs twice", place)
		}
		seen[name] = true
		field, err := fields.find(place, name)
		if err != nil {
			return err
		}
		if err := s.value(place, field, depth+1); err != nil {
			return err
		}
	}
	for name, field := range fields.byName {
		if field.required && !seen[name] {
			return core.Errorf(core.CodeInvalidRequest, "%s is missing", member(at, name))
		}
	}
	return s.close()
}

func (s shape) list(at string, want reflect.Type, depth int) error {
	var element reflect.Type
	if want != nil {
		if want.Kind() != reflect.Slice {
			return mismatch(at, want)
		}
		element = want.Elem()
	}
	for i := 0; s.tokens.More(); i++ {
		if err := s.value(at+"["+strconv.Itoa(i)+"]", element, depth+1); err != nil {
			return err
		}
	}
	return s.close()
}

// close reads the bracket at the end of a value.
func (s shape) close() error {
	if _, err := s.tokens.Token(); err != nil && err != io.EOF {
		return core.Wrap(core.CodeInvalidRequest, err, "the body is not one JSON value")
	}
	return nil
}

func scalar(at string, token json.Token, want reflect.Type) error {
	if want == nil {
		return nil
	}
	ok := false
	switch value := token.(type) {
	case string:
		ok = want.Kind() == reflect.String
	case bool:
		ok = want.Kind() == reflect.Bool
	case json.Number:
		ok = numberFits(value.String(), want)
	}
	if !ok {
		return mismatch(at, want)
	}
	return nil
}

func numberFits(text string, want reflect.Type) bool {
	var err error
	switch {
	case want.Kind() == reflect.Float64:
		_, err = strconv.ParseFloat(text, 64)
	case want.Kind() >= reflect.Int && want.Kind() <= reflect.Int64:
		_, err = strconv.ParseInt(text, 10, want.Bits())
	default:
		return false
	}
	return err == nil
}

// members are the fields of a struct by JSON name, or the type of all values of a map.
type members struct {
	byName map[string]memberField
	all    reflect.Type
	closed bool
}

type memberField struct {
	kind     reflect.Type
	required bool
}

func fieldsOf(want reflect.Type) members {
	if want == nil {
		return members{}
	}
	if want.Kind() == reflect.Map {
		return members{all: want.Elem()}
	}
	set := members{byName: map[string]memberField{}, closed: true}
	for i := range want.NumField() {
		name, options, _ := strings.Cut(want.Field(i).Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		set.byName[name] = memberField{want.Field(i).Type, options != "omitempty"}
	}
	return set
}

func (m members) find(place, name string) (reflect.Type, error) {
	if field, known := m.byName[name]; known {
		return field.kind, nil
	}
	if m.closed {
		return nil, core.Errorf(core.CodeInvalidRequest, "%s is not a known field", place)
	}
	return m.all, nil
}

// maxNamedBytes bounds how much of a name an error quotes.
const maxNamedBytes = 100

func member(at, name string) string {
	name = core.Shorten(name, maxNamedBytes)
	if at == "the body" {
		return name
	}
	return at + "." + name
}

func mismatch(at string, want reflect.Type) error {
	return core.Errorf(core.CodeInvalidRequest, "%s must be %s", at, kindName(want))
}

func kindName(want reflect.Type) string {
	if want == nil {
		return "a value"
	}
	switch want.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Slice:
		return "a list"
	case reflect.Float64:
		return "a number"
	}
	return "a whole number"
}
