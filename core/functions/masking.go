package functions

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
)

// minSecretBytes is the least length of an environment value that is removed from the log wherever
// it is. A shorter one, such as a PIN or a port, is in many words and numbers by chance. It is
// removed where it is a word of its own.
const minSecretBytes = 6

// without replaces the environment's values in a call by their names.
func without(secrets map[string]string, call core.BackendCall) core.BackendCall {
	m := newMask(secrets)
	call.Path, call.Error = m.clean(call.Path), m.clean(call.Error)
	for i := range call.Console {
		call.Console[i].Text = m.clean(call.Console[i].Text)
	}
	return call
}

// mask removes environment values from texts.
type mask struct {
	long *strings.Replacer
	// short are the values with less than minSecretBytes, and their names.
	short [][2]string
}

// newMask returns a mask. It leaves out short values that the page has anyway.
func newMask(secrets map[string]string) mask {
	var m mask
	var keys, pairs []string
	for key := range secrets {
		keys = append(keys, key)
	}
	// A value may contain another one.
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(len(secrets[b])-len(secrets[a]), strings.Compare(a, b)) })
	for _, key := range keys {
		switch value := secrets[key]; {
		case len(value) >= minSecretBytes:
			pairs = append(pairs, value, "["+key+"]")
		case strings.TrimSpace(value) != "" && !core.Variable{Key: key}.Public():
			m.short = append(m.short, [2]string{value, "[" + key + "]"})
		}
	}
	m.long = strings.NewReplacer(pairs...)
	return m
}

// stackLine matches a line of a stack. It has places in the program, whose numbers must stay.
var stackLine = regexp.MustCompile(`^\s*at .+:\d+\)?\s*$`)

// clean returns a text without the values.
func (m mask) clean(text string) string {
	text = m.long.Replace(text)
	if len(m.short) == 0 || text == "" {
		return text
	}
	var out strings.Builder
	for line := range strings.Lines(text) {
		if stackLine.MatchString(line) {
			out.WriteString(line)
			continue
		}
		for _, one := range m.short {
			line = withoutWord(line, one[0], one[1])
		}
		out.WriteString(line)
	}
	return out.String()
}

// withoutWord replaces a value where neither a letter nor a digit is next to it.
func withoutWord(text, value, name string) string {
	var out strings.Builder
	for from := 0; ; {
		at := strings.Index(text[from:], value)
		if at < 0 {
			out.WriteString(text[from:])
			return out.String()
		}
		at += from
		end := at + len(value)
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if isWordly(before) || isWordly(after) {
			_, size := utf8.DecodeRuneInString(text[at:])
			out.WriteString(text[from : at+size])
			from = at + size
			continue
		}
		out.WriteString(text[from:at] + name)
		from = end
	}
}

func isWordly(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
