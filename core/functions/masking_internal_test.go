package functions

import (
	"testing"

	"github.com/atelierhq/atelier/core"
)

// TestNoValueOfTheEnvironmentIsInTheLog: short ones are removed where they are words of their own.
func TestNoValueOfTheEnvironmentIsInTheLog(t *testing.T) {
	secrets := map[string]string{
		"API_KEY": "sk_live_1234", "PIN": "1234", "FLAG": "é", "EMPTY": "", "BLANK": " ", "VITE_UNIT": "EUR", "DASHED": "a-b",
	}
	for text, want := range map[string]string{
		"":                              "",
		"key sk_live_1234":              "key [API_KEY]",
		"xsk_live_1234x":                "x[API_KEY]x",
		"pin 1234":                      "pin [PIN]",
		"1234":                          "[PIN]",
		`{"pin":1234,"other":"1234"}`:   `{"pin":[PIN],"other":"[PIN]"}`,
		"pin=1234&x=1":                  "pin=[PIN]&x=1",
		"the year 12345, and 11234 too": "the year 12345, and 11234 too",
		"1234 1234\n1234":               "[PIN] [PIN]\n[PIN]",
		"12341234 1234":                 "12341234 [PIN]",
		"é née":                         "[FLAG] née",
		"3 EUR a b":                     "3 EUR a b",
		"xa-b a-b-a-b":                  "xa-b [DASHED]-[DASHED]",
		"no\n    at pay (functions/pay.ts:1234:7)\nat last: 1234 for 1234": "no\n    at pay (functions/pay.ts:1234:7)\nat last: [PIN] for [PIN]",
	} {
		call := without(secrets, core.BackendCall{Path: text, Error: text, Console: []core.ConsoleLine{{Text: text}}})
		for part, got := range map[string]string{"path": call.Path, "error": call.Error, "console": call.Console[0].Text} {
			if got != want {
				t.Errorf("%s %q: got %q, want %q", part, text, got, want)
			}
		}
	}
}
