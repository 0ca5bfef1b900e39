package lib0_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/atelierhq/atelier/adapters/internal/lib0"
)

func TestNumbersAreReadBack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	numbers := []uint64{0, 1, 127, 128, 1<<14 - 1, 1 << 14, 1<<32 - 1, 1 << 32, lib0.MaxInteger}
	for range 1000 {
		numbers = append(numbers, random.Uint64N(1<<random.IntN(54)))
	}
	var written []byte
	for _, n := range numbers {
		written = lib0.AppendUint(written, n)
	}
	r := lib0.NewReader(written)
	for _, want := range numbers {
		if got := r.Uint(); got != want {
			t.Fatalf("got %d, want %d", got, want)
		}
	}
	if r.Err() != nil || r.Len() != 0 {
		t.Errorf("got %v and %d bytes left, want all read", r.Err(), r.Len())
	}
}

func TestNumbersAsLib0WritesThem(t *testing.T) {
	for n, want := range map[uint64][]byte{
		0: {0}, 127: {127}, 128: {128, 1}, 300: {172, 2},
		lib0.MaxInteger: {255, 255, 255, 255, 255, 255, 255, 15},
	} {
		if got := lib0.AppendUint(nil, n); !bytes.Equal(got, want) {
			t.Errorf("%d: got %v, want %v", n, got, want)
		}
	}
}

func TestTextsAreReadBack(t *testing.T) {
	written := lib0.AppendBytes(lib0.AppendBytes(nil, "ü😀"), []byte{1, 2})
	r := lib0.NewReader(written)
	if text, content := r.Text(), r.Bytes(); string(text) != "ü😀" || !bytes.Equal(content, []byte{1, 2}) || r.Err() != nil {
		t.Errorf("got %q, %v, %v", text, content, r.Err())
	}
}

func TestWhatCannotBeRead(t *testing.T) {
	nested := append(bytes.Repeat([]byte{117, 1}, 100), 126)
	for name, test := range map[string]struct {
		input []byte
		read  func(*lib0.Reader)
		want  error
	}{
		"no number":               {nil, func(r *lib0.Reader) { r.Uint() }, lib0.ErrShort},
		"half a number":           {[]byte{128}, func(r *lib0.Reader) { r.Uint() }, lib0.ErrShort},
		"a number of 54 bits":     {[]byte{255, 255, 255, 255, 255, 255, 255, 31}, func(r *lib0.Reader) { r.Uint() }, lib0.ErrInteger},
		"a number without end":    {bytes.Repeat([]byte{128}, 50), func(r *lib0.Reader) { r.Uint() }, lib0.ErrInteger},
		"half a text":             {[]byte{3, 'a'}, func(r *lib0.Reader) { r.Text() }, lib0.ErrShort},
		"no UTF-8":                {[]byte{1, 255}, func(r *lib0.Reader) { r.Text() }, lib0.ErrText},
		"more things than bytes":  {[]byte{5, 1, 1, 1, 1}, func(r *lib0.Reader) { r.Count(2) }, lib0.ErrShort},
		"a value of no type":      {[]byte{115}, (*lib0.Reader).SkipAny, lib0.ErrAny},
		"half a float":            {[]byte{123, 1, 2}, (*lib0.Reader).SkipAny, lib0.ErrShort},
		"half an array":           {[]byte{117, 2, 126}, (*lib0.Reader).SkipAny, lib0.ErrShort},
		"an object without value": {[]byte{118, 1, 1, 'k'}, (*lib0.Reader).SkipAny, lib0.ErrShort},
		"a value nested too deep": {nested, (*lib0.Reader).SkipAny, lib0.ErrAny},
	} {
		r := lib0.NewReader(test.input)
		test.read(r)
		if !errors.Is(r.Err(), test.want) || r.Len() != 0 {
			t.Errorf("%s: got %v and %d bytes left, want %v and none", name, r.Err(), r.Len(), test.want)
		}
		if test.read(r); !errors.Is(r.Err(), test.want) {
			t.Errorf("%s, read on: got %v, want the first failure, %v", name, r.Err(), test.want)
		}
	}
}

func TestValuesAreSkippedWhole(t *testing.T) {
	for name, value := range map[string][]byte{
		"undefined": {127}, "null": {126}, "true": {120}, "false": {121},
		"an integer": {125, 5}, "a negative one": {125, 64 | 5}, "a long one": {125, 128 | 1, 128, 1},
		"a float": {124, 1, 2, 3, 4}, "a double": {123, 1, 2, 3, 4, 5, 6, 7, 8}, "a bigint": {122, 1, 2, 3, 4, 5, 6, 7, 8},
		"a text": {119, 2, 'a', 'b'}, "bytes": {116, 2, 0, 255},
		"an array": {117, 2, 126, 117, 0}, "an object": {118, 1, 1, 'k', 118, 0},
	} {
		r := lib0.NewReader(append(value, 42))
		r.SkipAny()
		if !bytes.Equal(r.Since(0), value) || r.Byte() != 42 || r.Err() != nil {
			t.Errorf("%s: read up to %d, %v, want all %d bytes", name, r.Offset(), r.Err(), len(value))
		}
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte{118, 1, 1, 'k', 117, 2, 126, 125, 5})
	f.Fuzz(func(t *testing.T, input []byte) {
		r := lib0.NewReader(input)
		for r.Len() > 0 {
			r.SkipAny()
		}
		if r.Offset() != len(input) {
			t.Fatalf("read %d bytes of %d", r.Offset(), len(input))
		}
	})
}
