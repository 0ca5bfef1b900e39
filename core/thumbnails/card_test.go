package thumbnails

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// wellFormed reports whether a text is XML.
func wellFormed(text []byte) error {
	tokens := xml.NewDecoder(bytes.NewReader(text))
	for {
		if _, err := tokens.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func TestCards(t *testing.T) {
	for name, want := range map[string]string{
		"My shop":                          ">MS<",
		"todo":                             ">T<",
		"  über  alles und  mehr ":         ">ÜA<",
		"1 + 1":                            ">11<",
		"…":                                "><",
		"":                                 "><",
		"</text><script>alert(1)</script>": ">T<",
		"\x00\x1b[31m\ufffe\u202e x":       ">3X<",
		"日本 語":                             ">日語<",
	} {
		got := CardOf("01a1", name)
		if err := wellFormed(got); err != nil || !strings.Contains(string(got), want) || strings.Contains(string(got), "<script") {
			t.Errorf("%q: got %s, %v, want XML with %q", name, got, err, want)
		}
	}
}

func TestCardsTellProjectsApart(t *testing.T) {
	first, again, other := CardOf("a", "x"), CardOf("a", "x"), CardOf("b", "x")
	if !bytes.Equal(first, again) || bytes.Equal(first, other) {
		t.Error("got cards that change or are alike, want one for each project")
	}
}

func FuzzCard(f *testing.F) {
	f.Add("My shop")
	f.Add("<&\"'\x00\xff\u2028")
	f.Fuzz(func(t *testing.T, name string) {
		if err := wellFormed(CardOf("x", name)); err != nil {
			t.Fatalf("%q: got %v, want XML", name, err)
		}
	})
}
