package core

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// commonText is the beginnings of the commonest passwords, one a line. The list was
// written for this program, from reports on leaked passwords; it has the program's own
// licence.
//
//go:embed password_common.txt
var commonText string

// leakedText is the 5,000 most frequent passwords of MinPasswordChars and more in leaks, one a line;
// password_leaked.LICENSE says where they are from.
//
//go:embed password_leaked.txt
var leakedText string

// leakedPasswords is leakedText as a set.
var leakedPasswords = sync.OnceValue(func() map[string]bool {
	passwords := make(map[string]bool, 5000)
	for password := range strings.FieldsSeq(leakedText) {
		passwords[password] = true
	}
	return passwords
})

// commonWords is commonText as a set.
var commonWords = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(commonText) {
		words[word] = true
	}
	return words
})

// CheckPassword checks the length of a new password, and refuses those that are guessed
// first: frequent ones of leaks, common words with a few digits or signs around them, in any case and with
// digits for letters, rows of keys, and repetitions. Every character counts and none is
// forbidden.
func CheckPassword(password string) error {
	n := utf8.RuneCountInString(password)
	if n < MinPasswordChars || n > MaxPasswordChars || !utf8.ValidString(password) {
		return Errorf(CodeValidationFailed, "password must have %d to %d characters", MinPasswordChars, MaxPasswordChars)
	}
	if n <= maxCommonChars && isCommon(password) {
		return Errorf(CodeValidationFailed, "password must not be a common one: choose several words, or let a password manager generate one")
	}
	return nil
}

// minOwnChars is the shortest part of a name or an address that may not be in a password.
const minOwnChars = 4

// product are the words that everybody knows of this service.
const product = "atelier"

// CheckPassword is the function CheckPassword, and also refuses a password that contains what
// everybody knows of the person: the words of the name, the address and the parts before its "@",
// and the name of the service, without regard to case and marks. Words of fewer than minOwnChars
// characters are in too many good passwords.
func (u User) CheckPassword(password string) error {
	if err := CheckPassword(password); err != nil {
		return err
	}
	folded := Fold(password)
	for _, word := range u.ownWords() {
		if utf8.RuneCountInString(word) >= minOwnChars && strings.Contains(folded, word) {
			return Errorf(CodeValidationFailed, "password must not contain your name, your e-mail address or the name of this service: choose other words")
		}
	}
	return nil
}

// ownWords are the words that everybody knows of the person, folded.
func (u User) ownWords() []string {
	local, _, _ := strings.Cut(u.Email, "@")
	name := ""
	if u.DisplayName != nil {
		name = *u.DisplayName
	}
	words := []string{product, Fold(u.Email), Fold(local), Fold(name)}
	isGap := func(r rune) bool { return !unicode.IsLetter(r) }
	return slices.Concat(words, strings.FieldsFunc(Fold(local), isGap), strings.FieldsFunc(Fold(name), isGap))
}

// maxCommonChars is the longest password that is checked for being common.
const maxCommonChars = 32

// maxAdornment is how many digits and signs around a common word do not make it safer.
const maxAdornment = 6

// alike replaces digits and signs by the letters that they resemble.
var alike = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "8", "b", "@", "a", "$", "s", "!", "i", "|", "l")

func isCommon(password string) bool {
	lower := strings.ToLower(password)
	if isRepeated(lower) || isRow(lower) || leakedPasswords()[lower] {
		return true
	}
	words := commonWords()
	for _, text := range []string{lower, alike.Replace(lower), withoutAdornment(lower), alike.Replace(withoutAdornment(lower)), withoutAdornment(alike.Replace(lower))} {
		if words[text] || isTwice(words, text) {
			return true
		}
	}
	return false
}

// withoutAdornment cuts digits and signs from both ends, unless they are many.
func withoutAdornment(text string) string {
	word := strings.TrimFunc(text, func(r rune) bool { return (r < 'a' || r > 'z') && r < utf8.RuneSelf })
	if word == "" || utf8.RuneCountInString(text)-utf8.RuneCountInString(word) > maxAdornment {
		return text
	}
	return word
}

// isTwice reports whether the text consists of two common words.
func isTwice(words map[string]bool, text string) bool {
	for i := range text {
		if i > 0 && words[text[:i]] && words[text[i:]] {
			return true
		}
	}
	return false
}

// isRepeated reports whether the text repeats up to four characters.
func isRepeated(text string) bool {
	for size := 1; size <= 4 && size < len(text); size++ {
		if strings.Repeat(text[:size], len(text)/size+1)[:len(text)] == text {
			return true
		}
	}
	return false
}

// rows are sequences of characters: of keys, the alphabet, digits.
var rows = []string{
	"01234567890123456789", "abcdefghijklmnopqrstuvwxyz", "qwertyuiop[]", "asdfghjkl;'", "zxcvbnm,./", "qwertzuiopü", "azertyuiop",
	"1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.0p;/", "1q2w3e4r5t6y7u8i9o0p", "q1w2e3r4t5y6u7i8o9p0", "qazwsxedcrfvtgbyhnujmikolp", "!@#$%^&*()_+",
}

// isRow reports whether the text is made of a few pieces of rows, forwards or backwards.
func isRow(text string) bool {
	const maxPieces = 3
	for range maxPieces {
		if text = text[longestPiece(text):]; text == "" {
			return true
		}
	}
	return false
}

// longestPiece is the length in bytes of the longest piece of a row that the text begins
// with, 0 if it is shorter than three.
func longestPiece(text string) int {
	longest := 0
	for _, row := range rows {
		for _, line := range []string{row, reversed(row)} {
			for n := max(3, longest+1); n <= len(text) && strings.Contains(line, text[:n]); n++ {
				longest = n
			}
		}
	}
	return longest
}

func reversed(text string) string {
	var b strings.Builder
	for i := len(text); i > 0; {
		r, size := utf8.DecodeLastRuneInString(text[:i])
		b.WriteRune(r)
		i -= size
	}
	return b.String()
}
