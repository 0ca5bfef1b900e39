package attack_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"github.com/atelierhq/atelier/ports/backend"
)

type opts = map[string]any

// col makes a collection; rules are list, view, create, update and delete, "-" for nobody.
func col(name string, kind backend.CollectionType, rules [5]string, fields ...backend.Field) backend.Collection {
	texts := make([]*string, len(rules))
	for i := range rules {
		if rules[i] != "-" {
			texts[i] = &rules[i]
		}
	}
	return backend.Collection{
		ID: "pbc_" + name, Name: name, Type: kind, Fields: fields,
		Rules: backend.Rules{List: texts[0], View: texts[1], Create: texts[2], Update: texts[3], Delete: texts[4]},
	}
}

func fld(name, kind string, options opts) backend.Field {
	one := backend.Field{ID: "f_" + name, Name: name, Type: kind, Options: map[string]json.RawMessage{}}
	for member, value := range options {
		one.Options[member], _ = json.Marshal(value)
	}
	return one
}

func rel(name, to string, options opts) backend.Field {
	all := opts{"collectionId": "pbc_" + to, "maxSelect": 1}
	for member, value := range options {
		all[member] = value
	}
	return fld(name, "relation", all)
}

const (
	me     = "@request.auth.id"
	signed = "@request.auth.id != ''"
)

func own(field string) string { return signed + " && " + field + " = " + me }

// dice makes schemas at random.
type dice struct{ *rand.Rand }

func (d dice) of(words ...string) string { return words[d.IntN(len(words))] }

func (d dice) users() backend.Collection {
	read := d.of("", signed, "id = "+me)
	users := col("users", backend.Auth, [5]string{read, read, "", "id = " + me, d.of("-", "id = "+me)}, fld(d.of("name", "displayName", "anzeigename"), "text", opts{"max": 80}))
	if d.IntN(3) == 0 {
		users.Fields = append(users.Fields, fld("bio", "editor", nil))
	}
	return users
}

// sound returns a schema that gives away nothing, and the name of its main collection. That one
// belongs to end users by the field owner, if it is not "".
func (d dice) sound() (schema backend.Schema, main, owner string) {
	owner = d.of("owner", "author", "user", "creator", "besitzer", "verfasser")
	users := d.users()
	mine := own(owner)
	switch d.IntN(14) {
	case 0: // a guestbook for everybody
		main, owner = d.of("guestbook", "entries", "gaestebuch", "comments"), ""
		schema.Collections = []backend.Collection{col(main, backend.Base, [5]string{"", "", d.of("", "-"), "-", "-"}, fld("name", "text", opts{"required": true}), fld(d.of("text", "message", "nachricht"), "text", opts{"required": true, "max": 500}))}
		return schema, main, owner
	case 1: // a blog
		main = d.of("posts", "articles", "beitraege")
		schema.Collections = append(schema.Collections, col(main, backend.Base, [5]string{"", "", mine, mine, mine}, fld("title", "text", opts{"required": true}), fld("body", "editor", nil), rel(owner, "users", opts{"required": true})))
	case 2: // a form for questions
		main, owner = d.of("inquiries", "contact", "anfragen"), ""
		schema.Collections = append(schema.Collections, col(main, backend.Base, [5]string{"-", "-", "", "-", "-"}, fld("name", "text", nil), fld("email", "email", opts{"required": true}), fld("message", "text", opts{"required": true})))
	case 3: // what is one's own
		main = d.of("todos", "notes", "aufgaben")
		schema.Collections = append(schema.Collections, col(main, backend.Base, [5]string{mine, mine, mine, mine, mine}, fld("text", "text", nil), fld("done", "bool", nil), fld("phone", "text", nil), rel(owner, "users", nil)))
	case 4: // orders with lines
		main = "orders"
		schema.Collections = append(schema.Collections,
			col(main, backend.Base, [5]string{mine, mine, mine, "-", "-"}, fld("address", "text", opts{"required": true}), fld("amount", "number", opts{"min": 1}), fld("status", "select", opts{"values": []string{"new", "paid", "sent"}, "maxSelect": 1}), rel(owner, "users", opts{"required": true})),
			col("lines", backend.Base, [5]string{"order." + owner + " = " + me, "order." + owner + " = " + me, "order." + owner + " = " + me, "-", "-"}, rel("order", "orders", opts{"required": true, "cascadeDelete": true}), fld("amount", "number", nil)))
	case 5: // letters
		main, owner = "messages", "from"
		both := "from = " + me + " || to = " + me
		both = signed + " && (" + both + ")"
		schema.Collections = append(schema.Collections, col(main, backend.Base, [5]string{both, both, own("from"), own("from"), own("from")}, fld("message", "text", opts{"required": true}), rel("from", "users", opts{"required": true}), rel("to", "users", opts{"required": true})))
	case 6: // teams
		main = "tasks"
		in := signed + " && team.members.id ?= " + me
		schema.Collections = append(schema.Collections,
			col("teams", backend.Base, [5]string{"members.id ?= " + me, "members.id ?= " + me, mine, mine, mine}, fld("name", "text", nil), rel(owner, "users", nil), rel("members", "users", opts{"maxSelect": 99})),
			col(main, backend.Base, [5]string{in, in, in, in, in}, fld("title", "text", nil), fld("budget_amount", "number", nil), rel("team", "teams", opts{"required": true})))
		owner = ""
	case 7: // a programme
		main, owner = d.of("events", "restaurants", "veranstaltungen"), ""
		schema.Collections = append(schema.Collections, col(main, backend.Base, [5]string{"", "", "-", "-", "-"}, fld("title", "text", nil), fld("address", "text", nil), fld("starts", "date", nil), fld("price", "number", nil), fld("picture", "file", opts{"maxSelect": 1, "mimeTypes": []string{"image/png", "image/jpeg"}})))
	case 8: // a poll with a vote each
		main = "votes"
		schema.Collections = append(schema.Collections,
			col("polls", backend.Base, [5]string{"", "", "-", "-", "-"}, fld("question", "text", nil), fld("total", "number", nil)),
			col(main, backend.Base, [5]string{mine, mine, mine, "-", mine}, rel("poll", "polls", opts{"required": true}), rel(owner, "users", opts{"required": true}), fld("choice", "select", opts{"values": []string{"a", "b", "c"}, "maxSelect": 1, "required": true})))
		schema.Collections[len(schema.Collections)-1].Indexes = []string{fmt.Sprintf("CREATE UNIQUE INDEX idx_votes ON votes (poll, %s)", owner)}
	case 9: // drafts
		main = "posts"
		seen := "published = true || " + owner + " = " + me
		schema.Collections = append(schema.Collections, col(main, backend.Base, [5]string{seen, seen, mine, mine, mine}, fld("title", "text", nil), fld("published", "bool", nil), rel(owner, "users", opts{"required": true})))
	case 10: // an administrator
		main, owner = "announcements", ""
		users.Fields = append(users.Fields, fld("role", "select", opts{"values": []string{"member", "admin"}, "maxSelect": 1}))
		create, update := "@request.body.role:isset = false", "id = "+me+" && @request.body.role:isset = false"
		users.Rules.Create, users.Rules.Update = &create, &update
		admin := "@request.auth.role = 'admin'"
		schema.Collections = append(schema.Collections, col(main, backend.Base, [5]string{"", "", admin, admin, admin}, fld("title", "text", nil), fld("text", "editor", nil)),
			col("customers", backend.Base, [5]string{admin, admin, admin, admin, admin}, fld("telefon", "text", nil), fld("email", "email", nil)))
	case 11: // one's own papers
		main = "papers"
		schema.Collections = append(schema.Collections, col(main, backend.Base, [5]string{mine, mine, mine, mine, mine}, fld("file", "file", opts{"protected": true, "required": true, "maxSelect": 1, "mimeTypes": []string{"application/pdf"}}), fld("code", "text", opts{"pattern": "^[A-Z]{3}-[0-9]{4}$", "required": true}), rel(owner, "users", opts{"required": true})))
	case 12: // a page whose writers are named by the publisher
		main, owner = "posts", ""
		closed := col("users", backend.Auth, [5]string{"id = " + me, "id = " + me, "-", "id = " + me, "-"}, fld("name", "text", nil))
		schema.Collections = []backend.Collection{closed, col(main, backend.Base, [5]string{"", "", signed, signed, signed}, fld("title", "text", nil), fld("body", "editor", nil))}
		return schema, main, owner
	case 13: // staff of its own
		main, owner = "bookings", ""
		staff := "@request.auth.collectionName = 'staff'"
		schema.Collections = append(schema.Collections,
			col("staff", backend.Auth, [5]string{"id = " + me, "id = " + me, "-", "id = " + me, "-"}),
			col(main, backend.Base, [5]string{staff, staff, "", staff, staff}, fld("name", "text", nil), fld("email", "email", opts{"required": true}), fld("day", "date", opts{"required": true}), fld("guests", "number", opts{"min": 1, "max": 20, "onlyInt": true, "required": true})))
	}
	schema.Collections = append([]backend.Collection{users}, schema.Collections...)
	return schema, main, owner
}

// privateNames are of fields that nobody would show everybody, in several spellings.
var privateNames = []string{"email", "e_mail", "eMail", "customerEmail", "mailadresse", "phone", "phoneNumber", "telefon", "tel", "handynummer", "mobile", "address", "streetAddress", "anschrift", "strasse", "plz", "token", "access_token", "apiKey", "iban", "kontonummer", "birthday", "geburtsdatum", "amount", "betrag", "message", "nachricht", "salary", "passwort"}

// leaking returns a schema with a leak, and what that is.
func (d dice) leaking() (backend.Schema, string) {
	schema, main, owner := d.sound()
	at := len(schema.Collections) - 1
	for i := range schema.Collections {
		if schema.Collections[i].Name == main {
			at = i
		}
	}
	c := &schema.Collections[at]
	everybody := d.of("", "id != ''", signed)
	if schema.Collections[0].Rules.Create == nil || schema.Collections[0].Type != backend.Auth {
		everybody = ""
	}
	secret := privateNames[d.IntN(len(privateNames))]
	public := ""
	switch d.IntN(10) {
	case 0:
		c.Rules.Update = &everybody
		return schema, main + ": everybody changes by " + everybody
	case 1:
		c.Rules.Delete = &everybody
		return schema, main + ": everybody deletes by " + everybody
	case 2, 3:
		c = add(&schema, col(d.of("requests", "customers", "kunden", "leads"), backend.Base, [5]string{"", "", d.of("", "-"), "-", "-"}, fld("name", "text", nil), fld(secret, "text", nil)))
		return schema, c.Name + "." + secret + ": guests list"
	case 4:
		c = add(&schema, col("tickets", backend.Base, [5]string{"-", "", "", "-", "-"}, fld("name", "text", nil), fld(secret, "text", opts{"required": true})))
		return schema, c.Name + "." + secret + ": guests view"
	case 5:
		if owner == "" {
			add(&schema, col("accounts", backend.Auth, [5]string{"", "", "", "id = " + me, "-"}, fld("phone", "text", nil)))
			return schema, "accounts.phone: guests list"
		}
		rule := signed + " && (" + owner + " = " + me + " || " + owner + " != '')"
		c.Rules.Delete = &rule
		return schema, main + ": everybody deletes by " + rule
	case 6:
		add(&schema, col("hidden_"+secret, backend.Base, [5]string{"-", "-", "-", "-", "-"}, fld("value", "text", nil), fld(secret, "text", nil)))
		view := col("report", backend.View, [5]string{"", "", "-", "-", "-"})
		query, _ := json.Marshal(fmt.Sprintf("SELECT id, value, %s FROM hidden_%s", secret, secret))
		view.Options = map[string]json.RawMessage{"viewQuery": query}
		add(&schema, view)
		return schema, "report." + secret + ": guests list a view"
	case 7: // a role that one gives oneself
		role := d.of("role", "rolle")
		rule := "@request.auth." + role + " = 'admin'"
		add(&schema, col("people", backend.Auth, [5]string{"-", "-", d.of("", "@request.body."+role+":isset = false"), "id = " + me, "-"}, fld(role, "select", opts{"values": []string{"member", "admin"}, "maxSelect": 1})))
		add(&schema, col("pages", backend.Base, [5]string{"", "", rule, rule, rule}, fld("text", "text", nil)))
		return schema, "pages: who says to be an admin changes"
	case 8: // a membership that one gives oneself
		add(&schema, col("people", backend.Auth, [5]string{"-", "-", "", "id = " + me, "-"}))
		add(&schema, col("groups", backend.Base, [5]string{"-", "-", "-", "-", "-"}, fld("name", "text", nil)))
		add(&schema, col("memberships", backend.Base, [5]string{own("person"), own("person"), own("person"), "-", own("person")}, rel("person", "people", opts{"required": true}), rel("group", "groups", opts{"required": true})))
		in := "group.memberships_via_group.person.id ?= " + me
		add(&schema, col("documents", backend.Base, [5]string{in, in, in, in, in}, fld("text", "text", nil), rel("group", "groups", opts{"required": true})))
		return schema, "documents: who joins changes"
	}
	rule := d.of("@request.body.holder = "+me, "state = 'open'", signed+" && state != 'closed'")
	add(&schema, col("people", backend.Auth, [5]string{"-", "-", "", "id = " + me, "-"}))
	add(&schema, col("cards", backend.Base, [5]string{public, public, "-", rule, "-"}, fld("text", "text", nil), fld("state", "select", opts{"values": []string{"new", "closed", "open"}, "maxSelect": 1, "required": true}), rel("holder", "people", nil)))
	return schema, "cards: everybody changes by " + rule
}

func add(schema *backend.Schema, c backend.Collection) *backend.Collection {
	schema.Collections = append(schema.Collections, c)
	return &schema.Collections[len(schema.Collections)-1]
}
