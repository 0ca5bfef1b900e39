package core

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// CheckName trims a name that people choose, and returns CodeValidationFailed unless
// it has 1 to limit characters, all visible. Names are those of people, workspaces,
// projects, folders, chats, modes, providers and tokens. The message of the error
// names field.
//
// It refuses control characters, characters that change the direction of writing, and
// invisible ones: with them one name looks like another. The joiners U+200C and U+200D
// are allowed between letters of other scripts and in emoji, which need them.
func CheckName(field, text string, limit int) (string, error) {
	name := strings.TrimSpace(text)
	n := utf8.RuneCountInString(name)
	if n < 1 || n > limit || name != CleanName(name) {
		return "", Errorf(CodeValidationFailed, "%s must have 1 to %d characters, none of them invisible or changing the text direction", field, limit)
	}
	return name, nil
}

// CleanName removes characters that CheckName refuses from a text, and then the space
// around the rest.
func CleanName(text string) string {
	runes := []rune(strings.ToValidUTF8(text, ""))
	var kept strings.Builder
	for i, r := range runes {
		if isJoiner(r) && i > 0 && i+1 < len(runes) && isJoined(runes[i-1]) && isJoined(runes[i+1]) || !isHidden(r) {
			kept.WriteRune(r)
		}
	}
	return strings.TrimSpace(kept.String())
}

// isHidden reports whether a character is invisible. Some Arabic signs are format
// characters, but visible.
func isHidden(r rune) bool {
	if r < utf8.RuneSelf {
		return unicode.IsControl(r)
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Bidi_Control, unicode.Noncharacter_Code_Point,
		unicode.Other_Default_Ignorable_Code_Point) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

func isJoiner(r rune) bool { return r == 0x200c || r == 0x200d }

// isJoined reports whether a joiner next to r can have a meaning.
func isJoined(r rune) bool { return r >= utf8.RuneSelf && !isHidden(r) }
