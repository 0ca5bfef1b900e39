package yprotocol_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/internal/yprotocol"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/replica"
)

func TestFramesAreReadBack(t *testing.T) {
	for _, want := range []yprotocol.Message{
		{Kind: yprotocol.SyncStep1, Body: []byte{0}},
		{Kind: yprotocol.SyncStep2, Body: []byte{0, 0}},
		{Kind: yprotocol.Update, Body: bytes.Repeat([]byte{1}, 300)},
		{Kind: yprotocol.Awareness, Body: []byte{0}},
		{Kind: yprotocol.QueryAwareness},
		{Kind: yprotocol.PermissionDenied, Body: []byte("no")},
	} {
		got, err := yprotocol.Read(want.Frame())
		if err != nil || got.Kind != want.Kind || !bytes.Equal(got.Body, want.Body) {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
	}
}

func TestFramesThatHoldNoMessage(t *testing.T) {
	for name, test := range map[string]struct {
		frame []byte
		code  core.Code
	}{
		"nothing":              {nil, core.CodeInvalidRequest},
		"an unknown number":    {[]byte{4, 0}, core.CodeInvalidRequest},
		"an unknown step":      {[]byte{0, 3, 0}, core.CodeInvalidRequest},
		"another refusal":      {[]byte{2, 1, 0}, core.CodeInvalidRequest},
		"no body":              {[]byte{0, 2}, core.CodeInvalidRequest},
		"half a body":          {[]byte{0, 2, 5, 1, 2}, core.CodeInvalidRequest},
		"two messages":         {[]byte{3, 3}, core.CodeInvalidRequest},
		"text":                 {[]byte("hello"), core.CodeInvalidRequest},
		"a long state vector":  {yprotocol.Message{Kind: yprotocol.SyncStep1, Body: make([]byte, yprotocol.MaxVectorBytes+1)}.Frame(), core.CodePayloadTooLarge},
		"a long awareness":     {yprotocol.Message{Kind: yprotocol.Awareness, Body: make([]byte, yprotocol.MaxAwarenessBytes+1)}.Frame(), core.CodePayloadTooLarge},
		"a long reason":        {yprotocol.Message{Kind: yprotocol.PermissionDenied, Body: make([]byte, yprotocol.MaxReasonBytes+1)}.Frame(), core.CodePayloadTooLarge},
		"a long update":        {yprotocol.Message{Kind: yprotocol.Update, Body: make([]byte, replica.MaxUpdateBytes+1)}.Frame(), core.CodePayloadTooLarge},
		"a frame without end":  {make([]byte, yprotocol.MaxFrameBytes+1), core.CodePayloadTooLarge},
		"a number without end": {bytes.Repeat([]byte{0xff}, 20), core.CodeInvalidRequest},
	} {
		if got, err := yprotocol.Read(test.frame); !core.IsCode(err, test.code) {
			t.Errorf("%s: got %d bytes of kind %d, %v, want code %s", name, len(got.Body), got.Kind, err, test.code)
		}
	}
}

func state(client, clock uint64, value string) core.Awareness {
	s := core.Awareness{Client: client, Clock: clock}
	if value != "" {
		s.Value = []byte(value)
	}
	return s
}

func TestAwarenessUpdatesAreReadBack(t *testing.T) {
	want := []core.Awareness{state(1, 0, `{}`), state(1<<53-1, 7, `{"user":{"name":"Zoë"}}`), state(3, 4, "")}
	got, err := yprotocol.ReadStates(yprotocol.WriteStates(want))
	if err != nil || !slices.EqualFunc(got, want, sameState) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

func sameState(a, b core.Awareness) bool {
	return a.Client == b.Client && a.Clock == b.Clock && bytes.Equal(a.Value, b.Value)
}

func TestAwarenessUpdatesThatAreRefused(t *testing.T) {
	good := yprotocol.WriteStates([]core.Awareness{state(1, 1, `{"a":1}`)})
	for name, test := range map[string]struct {
		update []byte
		code   core.Code
	}{
		"nothing":              {nil, core.CodeInvalidRequest},
		"half of one":          {good[:5], core.CodeInvalidRequest},
		"more behind it":       {append(slices.Clone(good), 0), core.CodeInvalidRequest},
		"more states than fit": {[]byte{200, 1, 1, 1, 1}, core.CodeInvalidRequest},
		"no JSON":              {yprotocol.WriteStates([]core.Awareness{state(1, 1, `{"a":`)}), core.CodeInvalidRequest},
		"no object":            {yprotocol.WriteStates([]core.Awareness{state(1, 1, `[1]`)}), core.CodeInvalidRequest},
		"an empty value":       {[]byte{1, 1, 1, 0}, core.CodeInvalidRequest},
		"a long value":         {yprotocol.WriteStates([]core.Awareness{state(1, 1, `{"a":"`+strings.Repeat("x", yprotocol.MaxStateBytes)+`"}`)}), core.CodePayloadTooLarge},
		"too many":             {yprotocol.WriteStates(make([]core.Awareness, yprotocol.MaxStates+1)), core.CodePayloadTooLarge},
	} {
		if got, err := yprotocol.ReadStates(test.update); !core.IsCode(err, test.code) {
			t.Errorf("%s: got %+v, %v, want code %s", name, got, err, test.code)
		}
	}
}

func FuzzMessages(f *testing.F) {
	f.Add([]byte{0, 0, 1, 0})
	f.Add([]byte{0, 2, 2, 0, 0})
	f.Add([]byte{3})
	f.Add(yprotocol.Message{Kind: yprotocol.PermissionDenied, Body: []byte("no")}.Frame())
	f.Add(yprotocol.Message{Kind: yprotocol.Awareness, Body: yprotocol.WriteStates([]core.Awareness{state(1, 2, `{"a":[1]}`), state(3, 4, "")})}.Frame())
	f.Fuzz(func(t *testing.T, frame []byte) {
		message, err := yprotocol.Read(frame)
		if err != nil {
			return
		}
		again, err := yprotocol.Read(message.Frame())
		if err != nil || again.Kind != message.Kind || !bytes.Equal(again.Body, message.Body) {
			t.Fatalf("%+v read back: got %+v, %v", message, again, err)
		}
		if message.Kind != yprotocol.Awareness {
			return
		}
		states, err := yprotocol.ReadStates(message.Body)
		if err != nil {
			return
		}
		back, err := yprotocol.ReadStates(yprotocol.WriteStates(states))
		if err != nil || !slices.EqualFunc(back, states, sameState) {
			t.Fatalf("%+v read back: got %+v, %v", states, back, err)
		}
	})
}
