package yprotocol

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/atelierhq/atelier/adapters/internal/lib0"
	"github.com/atelierhq/atelier/core"
)

// Bounds of awareness.
const (
	// MaxStates is how many clients an awareness update may describe.
	MaxStates = 256
	// MaxStateBytes is the longest state of a client.
	MaxStateBytes = 8 << 10
)

// ReadStates decodes an awareness update. A malformed one has code
// core.CodeInvalidRequest; one with too many or too long states has
// core.CodePayloadTooLarge.
func ReadStates(update []byte) ([]core.Awareness, error) {
	r := lib0.NewReader(update)
	n := r.Count(3)
	if n > MaxStates {
		return nil, core.Errorf(core.CodePayloadTooLarge, "an awareness update has more than %d states", MaxStates)
	}
	states := make([]core.Awareness, 0, n)
	for ; n > 0 && r.Err() == nil; n-- {
		s := core.Awareness{Client: r.Uint(), Clock: r.Uint()}
		switch value := bytes.TrimSpace(r.Text()); {
		case len(value) > MaxStateBytes:
			return nil, core.Errorf(core.CodePayloadTooLarge, "an awareness state is longer than %d bytes", MaxStateBytes)
		case r.Err() != nil || string(value) == "null":
		case !json.Valid(value) || value[0] != '{':
			return nil, core.Errorf(core.CodeInvalidRequest, "an awareness state is not a JSON object")
		default:
			s.Value = slices.Clone(value)
		}
		states = append(states, s)
	}
	if r.Err() != nil || r.Len() > 0 {
		return nil, core.Wrap(core.CodeInvalidRequest, r.Err(), "an awareness update is malformed")
	}
	return states, nil
}

// WriteStates encodes states as an awareness update.
func WriteStates(states []core.Awareness) []byte {
	update := lib0.AppendUint(nil, uint64(len(states)))
	for _, s := range states {
		update = lib0.AppendUint(update, s.Client)
		update = lib0.AppendUint(update, s.Clock)
		if s.Value == nil {
			update = lib0.AppendBytes(update, "null")
		} else {
			update = lib0.AppendBytes(update, s.Value)
		}
	}
	return update
}
