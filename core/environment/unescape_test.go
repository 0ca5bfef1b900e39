package environment

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"
)

func TestUnescaped(t *testing.T) {
	for text, want := range map[string]string{
		"":             "",
		"plain":        "plain",
		`\`:            `\`,
		`a\`:           `a\`,
		`\"\'\/\\`:     `"'/\`,
		`\n\t\r\b\f\v`: "\n\t\r\b\f\v",
		`\0`:           "\x00",
		`\x41\x4`:      "Ax4",
		`\xzz`:         "xzz",
		`\u0041\u00`:   "Au00",
		`\u{1F600}`:    "😀",
		`\u{}\u{`:      "u{}u{",
		`\u{110000}`:   "u{110000}",
		`\uD83D\uDE00`: "😀",
		`\uD83Dx`:      "\ufffdx",
		`\uD83D\n`:     "\ufffd\n",
		`\uD83D\uzz`:   "\ufffduzz",
		"a\\\nb":       "ab",
		`\x+1\u-001`:   "x+1u-001",
		`\é`:           "é",
	} {
		if got := string(unescaped([]byte(text))); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func FuzzUnescaped(f *testing.F) {
	for _, seed := range []string{"plain", `a"b\c`, "\x00\n é 😀 \u200b", `\u{1F600}`, `\`, `\u`, `\x`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		unescaped([]byte(text))
		if !utf8.ValidString(text) {
			return
		}
		asJSON, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := unescaped(asJSON); !bytes.Contains(got, []byte(text)) {
			t.Errorf("got %q of %s, want %q in it", got, asJSON, text)
		}
	})
}
