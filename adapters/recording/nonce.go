package recording

import (
	"regexp"
	"strings"
)

// tagged matches the number in the tags of one run, in a dialect without native tools.
// The number prevents files from imitating tags.
var tagged = regexp.MustCompile(`<(?:call|result|arg)-([0-9a-f]{6})[ >]`)

// nonce returns the number of the tags in a request, "" if it has none.
func (r request) nonce() string {
	if found := tagged.FindStringSubmatch(string(r.System)); found != nil {
		return found[1]
	}
	for _, m := range r.Messages {
		if found := tagged.FindStringSubmatch(string(m.Text)); found != nil {
			return found[1]
		}
	}
	return ""
}

// sameNonce replaces the number of the tags when requests are compared.
const sameNonce = "nonce-"

// withNonce returns the messages with another number in their tags.
func (r request) withNonce(number string) []message {
	own := r.nonce()
	if own == "" || own == number {
		return r.Messages
	}
	out := make([]message, len(r.Messages))
	for i, m := range r.Messages {
		m.Text = text(strings.ReplaceAll(string(m.Text), own, number))
		out[i] = m
	}
	return out
}

// renumbered returns chunks with one number of tags replaced by another. Both have the
// same length, so that the texts keep their boundaries, even within a number.
func renumbered(chunks []chunk, from, to string) []chunk {
	if from == to || len(from) != len(to) || from == "" {
		return chunks
	}
	var all strings.Builder
	for _, said := range chunks {
		all.WriteString(string(said.Text))
	}
	rest := strings.ReplaceAll(all.String(), from, to)
	out := make([]chunk, len(chunks))
	for i, said := range chunks {
		said.Text, rest = text(rest[:len(said.Text)]), rest[len(said.Text):]
		out[i] = said
	}
	return out
}
