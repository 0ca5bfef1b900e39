package recording

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// matchKey is the part of a message that decides which exchange answers it.
type matchKey struct {
	Role, Text, Tool string
	Failed           bool
	Images, Calls    []string
}

func matchKeyOf(m message) matchKey {
	out := matchKey{Role: string(m.Role), Text: string(m.Text), Tool: string(m.Tool), Failed: m.Failed}
	for _, picture := range m.Images {
		out.Images = append(out.Images, picture.SHA256)
	}
	for _, made := range m.Calls {
		out.Calls = append(out.Calls, string(made.Tool)+" "+canonical(string(made.Args)))
	}
	return out
}

// canonical normalizes a JSON text, and returns any other text unchanged.
func canonical(args string) string {
	decoder := json.NewDecoder(strings.NewReader(args))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil || decoder.More() {
		return args
	}
	sorted, err := encode(value)
	if err != nil {
		return args
	}
	return string(sorted)
}

func (e matchKey) equal(other matchKey) bool {
	return e.Role == other.Role && e.Text == other.Text && e.Tool == other.Tool && e.Failed == other.Failed &&
		slices.Equal(e.Images, other.Images) && slices.Equal(e.Calls, other.Calls)
}

// key returns a text that is equal for equivalent requests. Each part is preceded by its
// length, so that parts cannot be confused.
func (r request) key() string {
	hash := sha256.New()
	put := func(parts ...string) {
		fmt.Fprintf(hash, "%d:", len(parts))
		for _, part := range parts {
			fmt.Fprintf(hash, "%d:%s", len(part), part)
		}
	}
	put(toolNames(r)...)
	for _, m := range r.withNonce(sameNonce) {
		e := matchKeyOf(m)
		put(e.Role, e.Text, e.Tool, fmt.Sprint(e.Failed))
		put(e.Images...)
		put(e.Calls...)
	}
	return string(hash.Sum(nil))
}

func toolNames(r request) []string {
	names := make([]string, len(r.Tools))
	for i, offered := range r.Tools {
		names[i] = string(offered.Name)
	}
	return names
}

// commonMessages counts how many messages two conversations have in common at the
// beginning.
func commonMessages(recorded, asked []message) int {
	n := 0
	for n < len(recorded) && n < len(asked) && matchKeyOf(recorded[n]).equal(matchKeyOf(asked[n])) {
		n++
	}
	return n
}

// difference says where a request first differs from a recorded one.
func difference(recorded, asked request) string {
	recorded.Messages, asked.Messages = recorded.withNonce(sameNonce), asked.withNonce(sameNonce)
	n := commonMessages(recorded.Messages, asked.Messages)
	switch {
	case n == len(recorded.Messages) && n == len(asked.Messages):
		return fmt.Sprintf("the tools differ: recorded %v, asked %v", toolNames(recorded), toolNames(asked))
	case n == len(asked.Messages):
		return fmt.Sprintf("message %d is missing: recorded %s", n+1, describe(recorded.Messages[n]))
	case n == len(recorded.Messages):
		return fmt.Sprintf("message %d was not recorded: asked %s", n+1, describe(asked.Messages[n]))
	}
	return fmt.Sprintf("message %d differs: %s", n+1, messageDifference(matchKeyOf(recorded.Messages[n]), matchKeyOf(asked.Messages[n])))
}

func describe(m message) string {
	e := matchKeyOf(m)
	return fmt.Sprintf("one of the role %q that says %s", e.Role, excerpt(e.Text+strings.Join(e.Calls, " "), 0))
}

func messageDifference(recorded, asked matchKey) string {
	for _, part := range []struct{ name, recorded, asked string }{
		{"role", recorded.Role, asked.Role},
		{"tool", recorded.Tool, asked.Tool},
		{"failed", fmt.Sprint(recorded.Failed), fmt.Sprint(asked.Failed)},
		{"text", recorded.Text, asked.Text},
		{"calls", strings.Join(recorded.Calls, " "), strings.Join(asked.Calls, " ")},
		{"images", strings.Join(recorded.Images, " "), strings.Join(asked.Images, " ")},
	} {
		if part.recorded != part.asked {
			at := firstDifference(part.recorded, part.asked)
			return fmt.Sprintf("its %s, at byte %d: recorded %s, asked %s", part.name, at, excerpt(part.recorded, at), excerpt(part.asked, at))
		}
	}
	return "its calls or images are cut differently"
}

func firstDifference(one, other string) int {
	n := 0
	for n < len(one) && n < len(other) && one[n] == other[n] {
		n++
	}
	return n
}

// Bounds on the excerpt around a difference, in bytes.
const (
	shownBefore = 20
	shownAfter  = 80
)

// excerpt quotes the text around an offset, on one line.
func excerpt(whole string, at int) string {
	from, to := max(0, at-shownBefore), min(len(whole), at+shownAfter)
	for from > 0 && !utf8.RuneStart(whole[from]) {
		from--
	}
	for to < len(whole) && !utf8.RuneStart(whole[to]) {
		to++
	}
	shown := fmt.Sprintf("%q", whole[from:to])
	if from > 0 {
		shown = "…" + shown
	}
	if to < len(whole) {
		shown += "…"
	}
	return shown
}
