package messages

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestTranslate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err      *core.Error
		language core.Language
		want     string
		in       core.Language
	}{
		{core.NotFound("project"), core.LanguageGerman, "Dieses Projekt gibt es nicht", core.LanguageGerman},
		{core.Errorf(core.CodeForbidden, "only an %s may give or remove the role %s", "owner", "admin"), core.LanguageGerman, "Die Rolle admin kann nur geben oder nehmen, wer die Rolle owner hat", core.LanguageGerman},
		{core.Wrap(core.CodeConflict, nil, "the slug %q is reserved: choose another", "www"), core.LanguageSpanish, `La dirección "www" está reservada: elige otra`, core.LanguageSpanish},
		{core.NotFound("project"), core.LanguageEnglish, "no such project", core.LanguageEnglish},
		{core.NotFound("project"), "", "no such project", core.LanguageEnglish},
		{core.Errorf(core.CodeConflict, "nobody translated this"), core.LanguageGerman, "nobody translated this", core.LanguageEnglish},
		{&core.Error{Code: core.CodeConflict, Message: "said elsewhere"}, core.LanguageGerman, "said elsewhere", core.LanguageEnglish},
	} {
		got, in := Translate(c.err, c.language)
		if got != c.want || in != c.in {
			t.Errorf("%q in %q: got %q in %q, want %q in %q", c.err.Message, c.language, got, in, c.want, c.in)
		}
	}
}

func TestSay(t *testing.T) {
	t.Parallel()
	inner := core.Errorf(core.CodeSandboxUnavailable, "no page can be opened: %s", core.Phrasef("Chromium is not installed: install the package chromium"))
	for _, c := range []struct {
		phrase   core.Phrase
		language core.Language
		want     string
		in       core.Language
	}{
		{core.Phrasef("off: %s", inner.Phrase()), core.LanguageGerman, "Aus: Es lassen sich keine Seiten öffnen: Chromium ist nicht installiert: Installieren Sie das Paket chromium", core.LanguageGerman},
		{core.Phrasef("off: %s", inner.Phrase()), "", "off: no page can be opened: Chromium is not installed: install the package chromium", core.LanguageEnglish},
		{core.Phrasef("off: %s", core.Phrasef("%d nobody translated", 7)), core.LanguageSpanish, "Desactivado: 7 nobody translated", core.LanguageSpanish},
		{core.PhraseOf("the server did not answer in time"), core.LanguageGerman, "Der Server hat nicht rechtzeitig geantwortet", core.LanguageGerman},
		{(&core.Error{Message: "100% full"}).Phrase(), core.LanguageSpanish, "100% full", core.LanguageEnglish},
		{core.Phrase{}, core.LanguageGerman, "", core.LanguageEnglish},
	} {
		if got, in := Say(c.phrase, c.language); got != c.want || in != c.in {
			t.Errorf("got %q in %q, want %q in %q", got, in, c.want, c.in)
		}
	}
}

// TestCatalogsAgree checks that all catalogs have the same messages, and that each
// translation takes the arguments of its original.
func TestCatalogsAgree(t *testing.T) {
	t.Parallel()
	var union []string
	for _, catalog := range catalogs() {
		for format := range catalog {
			union = append(union, format)
		}
	}
	for language, catalog := range catalogs() {
		for _, format := range union {
			translation, known := catalog[format]
			if !known {
				t.Errorf("%s has no translation of %q", language, format)
				continue
			}
			if got, want := arguments(translation), arguments(format); !slices.Equal(got, want) {
				t.Errorf("%s: %q takes the arguments %q, want %q as in %q", language, translation, got, want, format)
			}
		}
	}
}

var verb = regexp.MustCompile(`%(?:\[(\d+)\])?([-+# 0]*[\d.]*[a-zA-Z])|%%`)

// arguments returns the verbs of a format in the order of the arguments that they take.
func arguments(format string) []string {
	var found []string
	for i, match := range verb.FindAllStringSubmatch(format, -1) {
		place := i + 1
		if match[1] != "" {
			place, _ = strconv.Atoi(match[1])
		}
		found = append(found, fmt.Sprintf("%d %s", place, match[2]))
	}
	slices.Sort(found)
	return found
}
