package records

import (
	"cmp"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/adapters/memory/backend/sql"
	"github.com/atelierhq/atelier/adapters/memory/backend/values"
	port "github.com/atelierhq/atelier/ports/backend"
)

// Collection is a collection of a schema in force.
type Collection struct {
	ID, Name string
	Type     port.CollectionType
	// Fields are all fields, system fields first.
	Fields []*Field
	Rules  port.Rules
	// Auth are the options of an auth collection.
	Auth AuthOptions

	unique []uniqueIndex
	// query makes the records of a view.
	query *sql.Select
}

// AuthOptions are the options of an auth collection.
type AuthOptions struct {
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
	OAuth2 struct {
		// Enabled is nil unless the schema says it.
		Enabled      *bool `json:"enabled"`
		MappedFields struct {
			ID        string `json:"id"`
			Name      string `json:"name"`
			Username  string `json:"username"`
			AvatarURL string `json:"avatarURL"`
		} `json:"mappedFields"`
	} `json:"oauth2"`
	MFA struct {
		Enabled bool `json:"enabled"`
	} `json:"mfa"`
}

// uniqueIndex is a unique index. A partial one ignores empty values.
type uniqueIndex struct {
	fields  []*Field
	partial bool
}

// same reports whether two records may not be beside each other.
func (u uniqueIndex) same(a, b Row) bool {
	for _, f := range u.fields {
		value := a.Get(f)
		if u.partial && values.IsZero(value) || !reflect.DeepEqual(value, b.Get(f)) {
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
func newCollection(from port.Collection, others []*Collection) (*Collection, *port.Problem) {
	c := &Collection{ID: from.ID, Name: from.Name, Type: from.Type, Rules: from.Rules}
	wrong := func(member, message string) (*Collection, *port.Problem) {
		return nil, &port.Problem{Collection: from.Name, Member: member, Message: message}
	}
	switch {
	case !namePattern.MatchString(from.Name):
		return wrong("name", "A name has letters, digits and underscores, and begins with a letter.")
	case slices.ContainsFunc(others, func(o *Collection) bool { return strings.EqualFold(o.Name, from.Name) || o.ID == from.ID }):
		return wrong("name", "Another collection has this name or id.")
	case from.Type != port.Base && from.Type != port.Auth && from.Type != port.View:
		return wrong("type", "The type must be base, auth or view.")
	}
	if problem := c.addFields(from.Fields); problem != nil {
		return nil, problem
	}
	if member, ok := c.readOptions(from.Options); !ok {
		return wrong(member, "The option has a wrong form.")
	}
	if from.Type == port.View {
		var text string
		err := json.Unmarshal(from.Options["viewQuery"], &text)
		if err == nil {
			c.query, err = sql.Parse(text)
		}
		if err != nil {
			return wrong("viewQuery", Sentence(err))
		}
	}
	for _, text := range from.Indexes {
		if !c.addIndex(text) {
			return wrong("indexes", "An index must be one CREATE INDEX statement with fields of the collection.")
		}
	}
	return c, nil
}

// addFields adds the listed fields, after the system fields that are not among them.
func (c *Collection) addFields(listed []port.Field) *port.Problem {
	if c.Type == port.View {
		return nil // they come from the query
	}
	for _, system := range systemFields(c.Type) {
		if !slices.ContainsFunc(listed, func(f port.Field) bool { return f.Name == system.Name }) {
			c.Fields = append(c.Fields, system)
		}
	}
	for _, from := range listed {
		made, problem := newField(from, c.Name)
		if problem != nil {
			return problem
		}
		for _, system := range systemFields(c.Type) {
			if system.Name == from.Name {
				made.Key, made.System, made.Hidden = system.Key, true, system.Hidden
				made.inheritID(system)
			}
		}
		if c.ByName(from.Name) != nil || !namePattern.MatchString(from.Name) && !made.System {
			return &port.Problem{Collection: c.Name, Field: from.Name, Member: "name", Message: "The field's name is wrong, or another field has it."}
		}
		c.Fields = append(c.Fields, made)
	}
	return nil
}

var idPattern = regexp.MustCompile(`^[a-z0-9]+$`)

// inheritID gives a listed field what it does not say about ids.
func (f *Field) inheritID(system *Field) {
	if f.Name != "id" {
		return
	}
	if f.Options.Min == nil {
		f.Options.Min = system.Options.Min
	}
	if f.Options.Max == nil {
		f.Options.Max = system.Options.Max
	}
	if f.pattern == nil {
		f.pattern = system.pattern
	}
}

// systemFields are those that are always there.
func systemFields(kind port.CollectionType) []*Field {
	system := func(name, fieldType string, hidden bool) *Field {
		return &Field{ID: name, Name: name, Type: fieldType, Key: name, System: true, Hidden: hidden}
	}
	id := system("id", "text", false)
	id.Options.Min, id.Options.Max, id.pattern = json.RawMessage("15"), json.RawMessage("15"), idPattern
	fields := []*Field{id}
	if kind == port.Auth {
		email := system("email", "email", false)
		email.Options.Required = true
		fields = append(fields, system("password", "password", true), system("tokenKey", "text", true), email,
			system("emailVisibility", "bool", false), system("verified", "bool", false))
	}
	return fields
}

// readOptions reads the options of an auth collection, and returns the wrong one.
func (c *Collection) readOptions(options map[string]json.RawMessage) (string, bool) {
	everybody := ""
	c.Auth.AuthRule = &everybody
	c.Auth.PasswordAuth.Enabled = true
	c.Auth.OTP.Duration, c.Auth.OTP.Length = 180, 8
	for name, to := range map[string]any{
		"authRule": &c.Auth.AuthRule, "manageRule": &c.Auth.ManageRule, "passwordAuth": &c.Auth.PasswordAuth, "otp": &c.Auth.OTP,
		"oauth2": &c.Auth.OAuth2, "mfa": &c.Auth.MFA,
	} {
		if text, ok := options[name]; ok && json.Unmarshal(text, to) != nil {
			return name, false
		}
	}
	if len(c.Auth.PasswordAuth.IdentityFields) == 0 {
		c.Auth.PasswordAuth.IdentityFields = []string{"email"}
	}
	if c.Type == port.Auth {
		for _, name := range []string{"email", "tokenKey"} {
			c.unique = append(c.unique, uniqueIndex{fields: []*Field{c.ByName(name)}, partial: true})
		}
	}
	return "", true
}

// addIndex adds an index, and reports whether its statement has a known form.
func (c *Collection) addIndex(text string) bool {
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
		f := c.ByName(strings.Trim(words[0], "`\"[]"))
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

// ByName returns a field by its name, or nil.
func (c *Collection) ByName(name string) *Field {
	return c.first(func(f *Field) bool { return f.Name == name })
}

// byKey returns a field by its key, or nil.
func (c *Collection) byKey(key string) *Field {
	return c.first(func(f *Field) bool { return f.Key == key })
}

func (c *Collection) first(is func(*Field) bool) *Field {
	if at := slices.IndexFunc(c.Fields, is); at >= 0 {
		return c.Fields[at]
	}
	return nil
}

// Sentence turns an error into a message for people.
func Sentence(err error) string {
	text := strings.TrimSuffix(cmp.Or(err.Error(), "wrong"), ".")
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
