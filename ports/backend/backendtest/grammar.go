package backendtest

import (
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
)

// grammar makes up parameters of lists of notes (worlds.go).
type grammar struct{ *rand.Rand }

// newGrammar returns a grammar that makes up the same for the same seed.
func newGrammar(seed uint64) grammar { return grammar{rand.New(rand.NewPCG(seed, seed))} }

// plainNames have one value in each note, joinedNames may have several.
func plainNames() []string {
	return []string{"id", "text", "text:lower", "stars", "done", "open", "due", "kinds", "kinds:length", "more", "more.lang", "more.list.1", "place.lon", "owner", "owner.id", "owner.name"}
}

func joinedNames() []string {
	return []string{"kinds:each", "owner.email", "boxes_via_notes.name", "boxes_via_notes.id", "boxes_via_notes.notes:length"}
}

// partlyHidden are names of several values, not all of which everybody sees.
func partlyHidden() []string {
	return []string{
		"boxes_via_notes.notes.text", "boxes_via_notes.notes.owner.email", "owner.notes_via_owner.text", "owner.notes_via_owner.stars", "owner.notes_via_owner.kinds:each",
		"drawers_via_note.label", "drawers_via_note.note.owner.name",
	}
}

// sortNames are those by which everybody may sort.
func sortNames() []string {
	return []string{"id", "text", "text:lower", "stars", "done", "due", "kinds", "more.lang", "owner", "owner.name", "boxes_via_notes.name", "owner.notes_via_owner.text", "@rowid"}
}

// secretNames are for members and rules.
func secretNames() []string {
	return []string{
		"key", "password", "tokenKey", "owner.password", "owner.tokenKey", "owner.password:lower", "vault_via_note.word", "boxes_via_notes.notes.key", "owner.notes_via_owner.vault_via_note.word",
		"@request.auth.id", "@collection.vault.word", "@collection.users.email", "_rowid_", "sqlite_master.sql",
	}
}

func pick[T any](g grammar, from []T) T { return from[g.IntN(len(from))] }

// filter is a filter that everybody may send, if they may use the names.
func (g grammar) filter(depth int, names []string) string {
	if depth == 0 || g.IntN(3) == 0 {
		return g.comparison(names)
	}
	parts := make([]string, 2+g.IntN(2))
	for i := range parts {
		if parts[i] = g.filter(depth-1, names); g.IntN(2) == 0 {
			parts[i] = pick(g, []string{"(", "( "}) + parts[i] + ")"
		}
	}
	return strings.Join(parts, pick(g, []string{" && ", " || ", "&&", "||", "\n&& "}))
}

func (g grammar) comparison(names []string) string {
	op := pick(g, []string{"=", "!=", ">", ">=", "<", "<=", "~", "!~"})
	if g.IntN(4) == 0 {
		op = "?" + op
	}
	left, right := pick(g, names), g.literal()
	switch g.IntN(8) {
	case 0:
		right = pick(g, names)
	case 1:
		right = pick(g, []string{"@yearStart", "@todayStart", "@monthEnd", "@year"})
	case 2:
		left = "geoDistance(place.lon, place.lat, 13.4, 52.5)"
	case 3:
		left, right = right, left
	}
	if (slices.Contains(partlyHidden(), left) || slices.Contains(partlyHidden(), right)) && op[0] != '?' {
		op = "?" + op
	}
	between := pick(g, []string{" ", "", "  "})
	return left + between + op + between + right
}

func (g grammar) literal() string {
	return pick(g, []string{
		"'new'", `"old"`, "'a'", "''", "'%'", "'_'", "'N%w'", "'ü'", `'it\'s'`, "'2001-01-01'", "'anna00000000000'", "0", "1", "-2.5", "3", "100000", "null", "true", "false",
		"'secret'", "'ben'", "'{}'",
	})
}

// sort is an order of up to four names.
func (g grammar) sort(names []string) string {
	return g.some(4, func() string { return pick(g, []string{"", "-", "+"}) + pick(g, names) })
}

// expand is a list of relations, not all of which are there.
func (g grammar) expand() string {
	return g.some(4, func() string {
		return pick(g, []string{
			"owner", "boxes_via_notes", "boxes_via_notes.notes", "owner.notes_via_owner", "owner.notes_via_owner.owner.notes_via_owner", "drawers_via_note", "drawers_via_note.note.owner",
			"vault_via_note", "owner.notes_via_owner.vault_via_note", "key", "text", "none",
		})
	})
}

// fields are parts of an answer.
func (g grammar) fields() string {
	return g.some(5, func() string {
		return pick(g, []string{
			"*", "id", "text", "text:excerpt(3)", "text:excerpt(4,true)", "key", "more.lang", "expand", "expand.owner.name", "expand.owner.email", "expand.owner.password", "expand.owner.tokenKey",
			"expand.*.id", "expand.owner.expand.notes_via_owner.text", "collectionName", "none",
		})
	})
}

// values are a filter that is joined so deep, and some of the other parameters.
func (g grammar) values(depth int, names, sorts []string) url.Values {
	values := url.Values{"filter": {g.filter(depth, names)}, "sort": {g.sort(sorts)}, "expand": {g.expand()}, "fields": {g.fields()}}
	for _, name := range []string{"sort", "expand", "fields"} {
		if g.IntN(2) == 0 {
			values.Del(name)
		}
	}
	return values
}

func (g grammar) some(most int, one func() string) string {
	parts := make([]string, 1+g.IntN(most))
	for i := range parts {
		parts[i] = one()
	}
	return strings.Join(parts, ",")
}

// spoil changes a text, so that it may be nothing that anybody may send. The time in a filter
// would differ from one request to the next, so that none is put together.
func (g grammar) spoil(text string) string {
	for range 1 + g.IntN(3) {
		from := g.IntN(len(text) + 1)
		to := from + g.IntN(min(len(text)-from, 8)+1)
		switch g.IntN(4) {
		case 0:
			text = text[:from] + text[to:]
		case 1:
			text = text[:to] + text[from:]
		case 2:
			text = text[:from] + pick(g, secretNames()) + text[to:]
		default:
			text = text[:from] + pick(g, []string{
				"(", ")", "&&", "||", "'", `"`, "?", "!", "~", "%", `\`, ".", ":", ",", ":each", ":isset", ":length", ":excerpt(", "geoDistance(", "\x00", "\xff", "🦄", "\n//", "--", ";",
				"[[", "{:", "}", "`", " OR 1=1", " COLLATE ", "-", "+", "*", "..", "1e309", "99999999999999999999",
			}) + text[to:]
		}
	}
	return text
}
