package websocket

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/rooms"
)

// The types of clients' messages.
const (
	callPing     = "ping"
	callPresence = "presence.update"
)

// call is a message of a client that follows events. place is set for callPresence.
type call struct {
	kind  string
	place rooms.Place
}

// parseCall parses a message. The error names the field. It has code
// core.CodeInvalidRequest for a wrong shape and that of core.ParsePath for an invalid
// path.
func parseCall(text []byte) (call, error) {
	var fields map[string]json.RawMessage
	if !utf8.Valid(text) || json.Unmarshal(text, &fields) != nil || fields == nil {
		return call{}, core.Errorf(core.CodeInvalidRequest, "a message must be a JSON object")
	}
	var c call
	if err := readField(fields, "type", "a string", &c.kind); err != nil {
		return call{}, err
	}
	var err error
	switch c.kind {
	case callPing:
	case callPresence:
		c.place, err = parsePlace(fields)
	default:
		err = core.Errorf(core.CodeInvalidRequest, "type must be %s or %s", callPresence, callPing)
	}
	if err != nil {
		return call{}, err
	}
	for name := range fields {
		return call{}, core.Errorf(core.CodeInvalidRequest, "%s has no field %.50q", c.kind, name)
	}
	return c, nil
}

// parsePlace parses the fields that say where somebody is. Each may be missing or null.
func parsePlace(fields map[string]json.RawMessage) (rooms.Place, error) {
	var place rooms.Place
	var path *string
	if err := readField(fields, "path", "a string or null", &path); err != nil {
		return place, err
	}
	if path != nil {
		at, err := core.ParsePath(*path)
		if err != nil {
			return place, err
		}
		place.Path = &at
	}
	if cursor := fields["cursor"]; string(cursor) != "null" {
		place.Cursor = cursor
	}
	delete(fields, "cursor")
	selection, err := parseSelection(fields)
	place.Selection = selection
	return place, err
}

func parseSelection(fields map[string]json.RawMessage) (*rooms.Selection, error) {
	const shape = "{start, end}, two whole numbers, or null"
	var ends map[string]*int
	if err := readField(fields, "selection", shape, &ends); err != nil || ends == nil {
		return nil, err
	}
	start, end := ends["start"], ends["end"]
	if len(ends) != 2 || start == nil || end == nil {
		return nil, core.Errorf(core.CodeInvalidRequest, "selection must be %s", shape)
	}
	return &rooms.Selection{Start: *start, End: *end}, nil
}

// readField parses a field of an object, if it is present.
func readField(fields map[string]json.RawMessage, name, shape string, into any) error {
	text, there := fields[name]
	delete(fields, name)
	if there && json.Unmarshal(text, into) != nil {
		return core.Errorf(core.CodeInvalidRequest, "%s must be %s", name, shape)
	}
	return nil
}
