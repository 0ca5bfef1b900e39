package core

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Language is a language in which the service writes to people, as a primary language
// subtag (BCP 47). "" is the language of somebody who has said none: English.
type Language string

// The languages of mails.
const (
	LanguageEnglish Language = "en"
	LanguageGerman  Language = "de"
	LanguageSpanish Language = "es"
)

// Languages are the languages in which the service can write.
func Languages() []Language { return []Language{LanguageEnglish, LanguageGerman, LanguageSpanish} }

// maxLanguages bounds how many languages of a header are read.
const maxLanguages = 20

// ParseLanguage returns the language of a tag such as de-AT. One in which the service
// cannot write has code CodeValidationFailed.
func ParseLanguage(tag string) (Language, error) {
	if language := writtenIn(tag); language != "" {
		return language, nil
	}
	return "", Errorf(CodeValidationFailed, "language must be one of en, de and es")
}

// PreferredLanguage returns the language that an Accept-Language header prefers among
// those of the service (RFC 9110, section 12.5.4), "" if it names none of them.
func PreferredLanguage(header string) Language {
	type choice struct {
		language Language
		quality  float64
	}
	var choices []choice
	for i, part := range strings.SplitN(header, ",", maxLanguages+1) {
		if i == maxLanguages {
			break
		}
		tag, parameter, _ := strings.Cut(part, ";")
		quality := 1.0
		if value, given := strings.CutPrefix(strings.TrimSpace(parameter), "q="); given {
			var err error
			if quality, err = strconv.ParseFloat(value, 64); err != nil {
				continue
			}
		}
		if language := writtenIn(tag); language != "" && quality > 0 {
			choices = append(choices, choice{language, quality})
		}
	}
	if len(choices) == 0 {
		return ""
	}
	return slices.MaxFunc(choices, func(a, b choice) int { return cmp.Compare(a.quality, b.quality) }).language
}

// writtenIn returns the language of a tag, "" for one that is not the service's.
func writtenIn(tag string) Language {
	primary, _, _ := strings.Cut(strings.TrimSpace(tag), "-")
	language := Language(strings.ToLower(primary))
	if slices.Contains(Languages(), language) {
		return language
	}
	return ""
}
