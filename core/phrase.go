package core

import (
	"fmt"
	"strings"
)

// Phrase is a text for people that can be translated: what fmt makes it of. An argument may be a
// Phrase itself.
type Phrase struct {
	Format string
	Args   []any
}

// Phrasef makes a Phrase.
func Phrasef(format string, args ...any) Phrase { return Phrase{format, args} }

// PhraseOf returns the phrase of a text that was stored in English.
func PhraseOf(text string) Phrase { return Phrase{Format: strings.ReplaceAll(text, "%", "%%")} }

// String returns the text in English.
func (p Phrase) String() string { return fmt.Sprintf(p.Format, p.Args...) }

// Phrase returns the message for its translation.
func (e *Error) Phrase() Phrase {
	if e.Format == "" {
		return PhraseOf(e.Message)
	}
	return Phrase{e.Format, e.Args}
}
