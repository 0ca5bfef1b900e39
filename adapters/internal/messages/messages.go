// Package messages translates the messages of errors, and other phrases, for the people who read them.
//
// A catalog (de.json, es.json) maps the format of a message (core.Error.Format, core.Phrase.Format) to its
// translation, which takes the same arguments; explicit indexes such as %[2]s reorder them. A
// message that has no translation stays English. Codes and the names of fields are never
// translated: programs read them.
//
// To add a language, add it to core.Languages and write its catalog.
package messages

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/atelierhq/atelier/core"
)

//go:embed *.json
var files embed.FS

// catalogs reads all catalogs once.
var catalogs = sync.OnceValue(func() map[core.Language]map[string]string {
	all := make(map[core.Language]map[string]string)
	for _, language := range core.Languages() {
		if language == core.LanguageEnglish {
			continue
		}
		catalog, err := read(files, language)
		if err != nil {
			panic(err)
		}
		all[language] = catalog
	}
	return all
})

// read returns the catalog of a language: translations by English format.
func read(dir fs.FS, language core.Language) (map[string]string, error) {
	content, err := fs.ReadFile(dir, string(language)+".json")
	if err != nil {
		return nil, err
	}
	var catalog map[string]string
	if err := json.Unmarshal(content, &catalog); err != nil {
		return nil, fmt.Errorf("the catalog of %s: %w", language, err)
	}
	return catalog, nil
}

// Translate returns the message of an error in a language, and the language that it is
// in: English if there is no translation.
func Translate(err *core.Error, language core.Language) (string, core.Language) {
	if _, known := catalogs()[language][err.Format]; !known {
		return err.Message, core.LanguageEnglish
	}
	return Say(err.Phrase(), language)
}

// Say is Translate for a phrase. The language is that of the phrase itself; one in its arguments
// that has no translation stays English.
func Say(phrase core.Phrase, language core.Language) (string, core.Language) {
	translated, known := catalogs()[language][phrase.Format]
	if !known {
		return phrase.String(), core.LanguageEnglish
	}
	args := slices.Clone(phrase.Args)
	for i, arg := range args {
		if inner, is := arg.(core.Phrase); is {
			args[i], _ = Say(inner, language)
		}
	}
	return fmt.Sprintf(translated, args...), language
}
