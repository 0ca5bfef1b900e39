package core_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestPreferredLanguage(t *testing.T) {
	for header, want := range map[string]core.Language{
		"":                                 "",
		"de":                               core.LanguageGerman,
		"de-AT,de;q=0.9,en;q=0.8":          core.LanguageGerman,
		"en-GB, de":                        core.LanguageEnglish,
		"fr-FR,es;q=0.7,en;q=0.5":          core.LanguageSpanish,
		"en;q=0.5, DE ;q=0.6":              core.LanguageGerman,
		"de;q=0, en":                       core.LanguageEnglish,
		"de;q=x":                           "",
		"tlh, *":                           "",
		"de\x00, \xff":                     "",
		strings.Repeat("fr,", 1000) + "de": "",
	} {
		if got := core.PreferredLanguage(header); got != want {
			t.Errorf("%.60q: got %q, want %q", header, got, want)
		}
	}
}

func TestParseLanguage(t *testing.T) {
	if got, err := core.ParseLanguage("de-CH"); got != core.LanguageGerman || err != nil {
		t.Errorf("got %q and %v, want German", got, err)
	}
	for _, wrong := range []string{"", "fr", "german", "../de"} {
		if _, err := core.ParseLanguage(wrong); !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("%q: got %v, want it refused", wrong, err)
		}
	}
}
