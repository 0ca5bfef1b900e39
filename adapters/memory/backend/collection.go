package backend

import (
	"cmp"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"

	port "github.com/atelierhq/atelier/ports/backend"
)

// collection is a collection of a schema in force.
type collection struct {
	port.Collection
	// fields are all, system fields first.
	fields []*field
	unique []uniqueIndex
	auth   authOptions
	// query makes the records of a view.
	query *selection
}

// authOptions are the options of an auth collection.
type authOptions struct {
	AuthRule     *string `json:"authRule"`
	ManageRule   *string `json:"manageRule"`
	PasswordAuth struct {
		Enabled        bool     `json:"enabled"`
		IdentityFields []string `json:"identityFields"`
	} `json:"passwordAuth"`
	OTP struct {
		Enabled  bool `json:"enabled"`
		Duration int  `json:"duration"`
		Length   int  `json:"length"`
	} `json:"otp"`
}

// uniqueIndex is a unique index. A partial one ignores empty values.
type uniqueIndex struct {
	fields  []*field
	partial bool
}

// same reports whether two records may not be beside each other.
func (u uniqueIndex) same(a, b row) bool {
	for _, f := range u.fields {
		value := a.get(f)
		if u.partial && isZero(value) || !reflect.DeepEqual(value, b.get(f)) {
			return false
		}
	}
	return true
}

var (
	namePattern  = regexp.MustCompile(`^[A-Za-z]\w{0,99}$`)
	indexPattern = regexp.MustCompile("(?is)^\\s*create\\s+(unique\\s+)?index\\s+(?:if\\s+not\\s+exists\\s+)?[`\"\\[]?\\w+[`\"\\]]?\\s+on\\s+[`\"\\[]?\\w+[`\"\\]]?\\s*\\(([^();]+)\\)\\s*(where\\s[^;]+)?;?\\s*$")
)

// newCollection builds a collection, given those before it.
func newCollection(from port.Collection, others []*collection) (*collection, *port.Problem) {
	c := &collection{Collection: from}
	wrong := func(member, message string) (*collection, *port.Problem) {
		return nil, &port.Problem{Collection: from.Name, Member: member, Message: message}
	}
	switch {
	case !namePattern.MatchString(from.Name):
		return wrong("name", "A name has letters, digits and underscores, and begins with a letter.")
	case slices.ContainsFunc(others, func(o *collection) bool { return strings.EqualFold(o.Name, from.Name) || o.ID == from.ID }):
		return wrong("name", "Another collection has this name or id.")
	case from.Type != port.Base && from.Type != port.Auth && from.Type != port.View:
		return wrong("type", "The type must be base, auth or view.")
	}
	if problem := c.addFields(); problem != nil {
		return nil, problem
	}
	if member, ok := c.readOptions(); !ok {
		return wrong(member, "The option has a wrong form.")
	}
	if from.Type == port.View {
		var text string
		err := json.Unmarshal(from.Options["viewQuery"], &text)
		if err == nil {
			c.query, err = parseSelect(text)
		}
		if err != nil {
			return wrong("viewQuery", sentence(err))
		}
	}
	for _, text := range from.Indexes {
		if !c.addIndex(text) {
			return wrong("indexes", "An index must be one CREATE INDEX statement with fields of the collection.")
		}
	}
	return c, nil
}

// addFields adds the system fields that the schema does not list, and its own.
func (c *collection) addFields() *port.Problem {
	if c.Type == port.View {
		return nil // they come from the query
	}
	for _, system := range systemFields(c.Type) {
		listed := slices.ContainsFunc(c.Fields, func(f port.Field) bool { return f.Name == system.Name })
		if !listed {
			c.fields = append(c.fields, system)
		}
	}
	for _, from := range c.Fields {
		made, problem := newField(from, c.Name)
		if problem != nil {
			return problem
		}
		for _, system := range systemFields(c.Type) {
			if system.Name == from.Name {
				made.key, made.system, made.hidden = system.key, true, system.hidden
			}
		}
		if c.byName(from.Name) != nil || !namePattern.MatchString(from.Name) && !made.system {
			return &port.Problem{Collection: c.Name, Field: from.Name, Member: "name", Message: "The field's name is wrong, or another field has it."}
		}
		c.fields = append(c.fields, made)
	}
	return nil
}

// systemFields are those that are always there.
func systemFields(kind port.CollectionType) []*field {
	system := func(name, fieldType string, hidden bool) *field {
		return &field{Field: port.Field{ID: name, Name: name, Type: fieldType}, key: name, system: true, hidden: hidden}
	}
	fields := []*field{system("id", "text", false)}
	if kind == port.Auth {
		email := system("email", "email", false)
		email.options.Required = true
		fields = append(fields, system("password", "password", true), system("tokenKey", "text", true), email,
			system("emailVisibility", "bool", false), system("verified", "bool", false))
	}
	return fields
}

// readOptions reads the options of an auth collection, and returns the wrong one.
func (c *collection) readOptions() (string, bool) {
	everybody := ""
	c.auth.AuthRule = &everybody
	c.auth.PasswordAuth.Enabled = true
	c.auth.OTP.Duration, c.auth.OTP.Length = 180, 8
	for name, to := range map[string]any{
		"authRule": &c.auth.AuthRule, "manageRule": &c.auth.ManageRule, "passwordAuth": &c.auth.PasswordAuth, "otp": &c.auth.OTP,
	} {
		if text, ok := c.Options[name]; ok && json.Unmarshal(text, to) != nil {
			return name, false
		}
	}
	if len(c.auth.PasswordAuth.IdentityFields) == 0 {
		c.auth.PasswordAuth.IdentityFields = []string{"email"}
	}
	if c.Type == port.Auth {
		for _, name := range []string{"email", "tokenKey"} {
			c.unique = append(c.unique, uniqueIndex{fields: []*field{c.byName(name)}, partial: true})
		}
	}
	return "", true
}

func (c *collection) addIndex(text string) bool {
	parts := indexPattern.FindStringSubmatch(text)
	if parts == nil {
		return false
	}
	index := uniqueIndex{partial: parts[3] != ""}
	for _, column := range strings.Split(parts[2], ",") {
		words := strings.Fields(column)
		if len(words) == 0 {
			return false
		}
		f := c.byName(strings.Trim(words[0], "`\"[]"))
		if f == nil {
			return false
		}
		index.fields = append(index.fields, f)
	}
	if parts[1] != "" {
		c.unique = append(c.unique, index)
	}
	return true
}

// namedRule is a rule and the member of PocketBase's export that it is.
type namedRule struct {
	member string
	text   *string
}

func (c *collection) rules() []namedRule {
	rules := []namedRule{
		{"listRule", c.Rules.List}, {"viewRule", c.Rules.View}, {"createRule", c.Rules.Create},
		{"updateRule", c.Rules.Update}, {"deleteRule", c.Rules.Delete},
	}
	if c.Type == port.Auth {
		rules = append(rules, namedRule{"authRule", c.auth.AuthRule}, namedRule{"manageRule", c.auth.ManageRule})
	}
	return rules
}

func (c *collection) byName(name string) *field {
	return c.first(func(f *field) bool { return f.Name == name })
}

func (c *collection) byKey(key string) *field {
	return c.first(func(f *field) bool { return f.key == key })
}

func (c *collection) first(is func(*field) bool) *field {
	if at := slices.IndexFunc(c.fields, is); at >= 0 {
		return c.fields[at]
	}
	return nil
}

// sentence turns an error into a message for people.
func sentence(err error) string {
	text := strings.TrimSuffix(cmp.Or(err.Error(), "wrong"), ".")
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
