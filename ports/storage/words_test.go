package storage_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

func TestWordsAreFoldedRunsOfLettersAndDigits(t *testing.T) {
	for text, want := range map[string][]string{
		"":                    {},
		" -%_'\"\\*\x00\xff ": {},
		"Shop-2 (NEW)":        {"shop", "2", "new"},
		"ΣΟΦΟΣ σοφος":         {"σοφοσ", "σοφοσ"},
		"Straße 東京":           {"strasse", "東京"},
		"\u212Aelvin ſplit":   {"kelvin", "split"},
		"don't":               {"don", "t"},
		"٣ x_y":               {"٣", "x", "y"},
		"İstanbul":            {"istanbul"},
	} {
		if got := storage.Words(text); !slices.Equal(got, want) {
			t.Errorf("Words(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestWordsFoldEveryLetterAsUnicodeDoes(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		other := unicode.SimpleFold(r)
		if !unicode.IsLetter(r) || !unicode.IsLetter(other) {
			continue
		}
		if got, want := storage.Words(string(r)), storage.Words(string(other)); !slices.Equal(got, want) {
			t.Errorf("got %q for %q, want %q as for %q", got, r, want, other)
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add("Grüße aus ΣΟΦΟΣ %_\\")
	f.Add("\u1fbe")
	f.Fuzz(func(t *testing.T, text string) {
		words := storage.Words(text)
		if again := storage.Words(strings.Join(words, " ")); !slices.Equal(words, again) {
			t.Errorf("words of the words of %q: got %q, want %q", text, again, words)
		}
		for _, word := range words {
			if !storage.Storable(word) || strings.ContainsAny(word, ` %_'"\`) {
				t.Errorf("word %q of %q has more than letters and digits", word, text)
			}
		}
	})
}

func TestCheckTextNamesTheFieldThatNoDatabaseCanKeep(t *testing.T) {
	bad := "a\x00b"
	for name, record := range map[string]any{
		"Email":       core.User{Email: "\xff"},
		"DisplayName": core.User{DisplayName: &bad},
		"Status":      core.Run{Status: core.RunStatus(bad)},
		"Tools":       core.Mode{Tools: []string{"read_file", bad}},
		"Actor":       core.AuditEntry{Actor: &core.AuditActor{Email: bad}},
	} {
		err := storage.CheckText(record)
		if !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %s naming %s", err, core.CodeValidationFailed, name)
		}
	}
	for _, record := range []any{
		core.User{Email: "ünï@example.com"},
		core.Mode{Tools: []string{"read_file"}},
		core.AuditEntry{Actor: &core.AuditActor{}},
		core.MailJob{Sealed: []byte(bad)},
	} {
		if err := storage.CheckText(record); err != nil {
			t.Errorf("%+v: got %v, want nil", record, err)
		}
	}
}
