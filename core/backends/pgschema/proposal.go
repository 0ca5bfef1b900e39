package pgschema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// maxNamed bounds the names in a note.
const maxNamed = 12

// Proposal is a schema that somebody may keep.
type Proposal struct {
	// Collections are those that the SQL adds.
	Collections []Collection
	// Notes say what was left out, or means something else here.
	Notes []core.Phrase
}

// Collection is a collection. Text is its object in a schema file, without an indent before it.
type Collection struct{ Name, Text string }

// collection is a collection before it is text.
type collection struct {
	Name, Type                                             string
	ListRule, ViewRule, CreateRule, UpdateRule, DeleteRule *string
	Fields                                                 []field
	Indexes                                                []string
}

// text writes a collection, with a line for each field and index.
func (c *collection) text() string {
	members := []string{`"name": ` + encode(c.Name), `"type": ` + encode(c.Type)}
	for _, rule := range []struct {
		name string
		text *string
	}{
		{"listRule", c.ListRule}, {"viewRule", c.ViewRule}, {"createRule", c.CreateRule}, {"updateRule", c.UpdateRule}, {"deleteRule", c.DeleteRule},
	} {
		if rule.text != nil {
			members = append(members, fmt.Sprintf("%q: %s", rule.name, encode(*rule.text)))
		}
	}
	members = append(members, `"fields": `+lines(c.Fields))
	if len(c.Indexes) > 0 {
		members = append(members, `"indexes": `+lines(c.Indexes))
	}
	return "{\n  " + strings.Join(members, ",\n  ") + "\n}"
}

func lines[T any](items []T) string {
	if len(items) == 0 {
		return "[]"
	}
	encoded := make([]string, len(items))
	for i, item := range items {
		encoded[i] = encode(item)
	}
	return "[\n    " + strings.Join(encoded, ",\n    ") + "\n  ]"
}

// encode writes JSON for people: < and & stay as they are. Texts and fields cannot fail.
func encode(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value)
	return strings.TrimSuffix(text.String(), "\n")
}

// draft is a proposal in the making.
type draft struct {
	from  *database
	taken map[string]bool
	// users is the collection of users, "" if nothing asks for one.
	users string
	notes []core.Phrase
	// presets are columns with a default value, policies those without an equivalent.
	presets, policies []string
}

// Propose turns SQL into collections. taken are the names of collections that are there, which stay
// as they are; users is that of the users, "" if there is none.
func Propose(sql, users string, taken []string) (Proposal, error) {
	p := draft{from: read(sql), taken: map[string]bool{}, users: users}
	for _, name := range taken {
		p.taken[strings.ToLower(name)] = true
	}
	if users == "" && p.asksForUsers() {
		p.users = "users"
	}
	made := p.collections(users == "" && p.users != "")
	if len(made) == 0 && len(p.notes) == 0 {
		return Proposal{}, core.Errorf(core.CodeValidationFailed, "the SQL makes no table: it needs a CREATE TABLE, as pg_dump --schema-only writes it")
	}
	p.tell()
	proposal := Proposal{Notes: p.notes}
	for _, one := range made {
		proposal.Collections = append(proposal.Collections, Collection{one.Name, one.text()})
	}
	return proposal, nil
}

func (p *draft) note(text core.Phrase) { p.notes = append(p.notes, text) }

// asksForUsers reports whether a table refers to Supabase's users, or a policy asks who one is.
func (p *draft) asksForUsers() bool {
	return slices.ContainsFunc(p.from.tables, func(one *table) bool {
		return slices.ContainsFunc(one.columns, func(c *column) bool { return c.refers == "auth.users" }) ||
			slices.ContainsFunc(one.policies, func(policy policy) bool {
				return slices.Contains(policy.roles, "authenticated") || slices.ContainsFunc(slices.Concat(policy.using, policy.check), func(t token) bool { return t.is("auth") })
			})
	})
}

// collections makes the collections. With fresh, one of them is that of the users.
func (p *draft) collections(fresh bool) []*collection {
	var made []*collection
	if fresh && p.from.table("users") == nil {
		made = append(made, usersCollection())
	}
	for _, one := range p.from.tables {
		switch {
		case strings.Contains(one.name, "."):
			p.note(core.Phrasef("The table %s was left out: it is not in the schema public", one.name))
			continue
		case p.taken[strings.ToLower(p.collectionOf(one.name))]:
			p.note(core.Phrasef("The table %s was left out: the project has a collection of that name", one.name))
			continue
		}
		into := &collection{Name: p.nameOf(one.name, one.name), Type: "base", Fields: []field{}}
		if fresh && one.name == "users" {
			into = usersCollection()
		}
		p.taken[strings.ToLower(into.Name)] = true
		into.Fields = append(into.Fields, p.fieldsOf(one, into)...)
		p.keysOf(one, into)
		if into.Type == "base" || len(one.policies) > 0 {
			p.rulesOf(one, into)
		}
		made = append(made, into)
	}
	return made
}

// usersCollection is one where people sign themselves up and see only themselves.
func usersCollection() *collection {
	themselves, everybody := `id = @request.auth.id`, ""
	return &collection{
		Name: "users", Type: "auth", Fields: []field{},
		ListRule: &themselves, ViewRule: &themselves, CreateRule: &everybody, UpdateRule: &themselves, DeleteRule: &themselves,
	}
}

// collectionOf returns the name of the collection that a table becomes, "" if none.
func (p *draft) collectionOf(name string) string {
	if name == "auth.users" {
		return p.users
	}
	if name == "" || strings.Contains(name, ".") {
		return ""
	}
	return (&draft{}).nameOf(name, name)
}

// keysOf keeps apart what must not occur twice.
func (p *draft) keysOf(of *table, into *collection) {
	uniques := of.uniques
	switch {
	case len(of.primary) == 1 && of.primary[0] == "id":
		if one := of.column("id"); one != nil && one.refers == "auth.users" {
			p.note(core.Phrasef("A record of %s has the id of its user, as before: give it that id when you create it", into.Name))
		}
	case len(of.primary) > 0:
		p.note(core.Phrasef("Records of %s have an id of their own here, and an index keeps %s unique", into.Name, strings.Join(of.primary, ", ")))
		uniques = append(uniques, of.primary)
	}
	for _, names := range uniques {
		fields := make([]string, len(names))
		for i, name := range names {
			fields[i] = (&draft{}).nameOf(name, name)
			if !slices.ContainsFunc(into.Fields, func(f field) bool { return f.Name == fields[i] }) {
				fields = nil
				break
			}
		}
		if len(fields) == 0 {
			continue
		}
		name := "idx_" + into.Name + "_" + strings.Join(fields, "_")
		statement := fmt.Sprintf("CREATE UNIQUE INDEX `%s` ON `%s` (`%s`)", name, into.Name, strings.Join(fields, "`, `"))
		if missing := p.mayMiss(of, into, names, fields); len(missing) > 0 {
			statement += " WHERE `" + strings.Join(missing, "` != '' AND `") + "` != ''"
		}
		if !slices.Contains(into.Indexes, statement) {
			into.Indexes = append(into.Indexes, statement)
		}
	}
}

// mayMiss returns those of the fields that records may have no value for. To Postgres, no two of these
// are equal.
func (p *draft) mayMiss(of *table, into *collection, columns, fields []string) (missing []string) {
	for i, name := range columns {
		at := slices.IndexFunc(into.Fields, func(f field) bool { return f.Name == fields[i] })
		if kind := into.Fields[at].Type; !of.column(name).notNull && !slices.Contains(of.primary, name) && kind != "number" && kind != "bool" {
			missing = append(missing, fields[i])
		}
	}
	return missing
}

// tell adds the notes about the whole.
func (p *draft) tell() {
	if len(p.policies) > 0 {
		p.note(core.Phrasef("These policies have no rule here, so they open nothing: %s", listed(p.policies)))
	}
	if len(p.presets) > 0 {
		p.note(core.Phrasef("These columns had default values, which pages and functions must give here: %s", listed(p.presets)))
	}
	if views := p.from.left["view"]; len(views) > 0 {
		p.note(core.Phrasef("Views were left out: %s", listed(views)))
	}
	if functions := p.from.left["function"]; len(functions) > 0 {
		p.note(core.Phrasef("Functions were left out: %s", listed(functions)))
	}
	if triggers := p.from.left["trigger"]; len(triggers) > 0 {
		p.note(core.Phrasef("Triggers were left out: %s", listed(triggers)))
	}
}

func listed(names []string) string {
	if more := len(names) - maxNamed; more > 0 {
		return strings.Join(names[:maxNamed], ", ") + fmt.Sprintf(" (+%d)", more)
	}
	return strings.Join(names, ", ")
}
