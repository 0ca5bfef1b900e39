package backends

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Bounds of a schema.
const (
	MaxCollections = 100
	MaxFields      = 100
	MaxIndexes     = 50
	// MaxSchemaBytes bounds the file.
	MaxSchemaBytes = 1 << 20
)

// Declaration is the content of a schema file. Ids may be missing; resolve finds them.
type Declaration struct {
	Collections []declaredCollection
	file        *source
}

type declaredCollection struct {
	backend.Collection
	fields []declaredField
	at     node
	// members are where the file has the collection's members.
	members map[string]node
}

type declaredField struct {
	backend.Field
	at      node
	members map[string]node
}

// ParseSchema reads a schema file. The diagnostics say what is wrong with it.
func ParseSchema(text []byte) (Declaration, []core.Diagnostic) {
	if len(text) > MaxSchemaBytes {
		return Declaration{}, []core.Diagnostic{{Path: core.BackendSchemaPath, Line: 1, Column: 1, Message: "The file is larger than 1 MiB."}}
	}
	file, root, ok := readJSON(core.BackendSchemaPath, text)
	declared := Declaration{file: file}
	if ok {
		declared.read(root)
	}
	return declared, file.found
}

func (d *Declaration) read(root node) {
	members, ok := root.members("The schema")
	if !ok {
		return
	}
	var list node
	for _, member := range members {
		if member.name != "collections" {
			member.value.complain("The schema has no member %q; it has \"collections\" only.", member.name)
			return
		}
		list = member.value
	}
	if list.file == nil {
		root.complain("The schema has no \"collections\".")
		return
	}
	items, ok := list.items("\"collections\"")
	if !ok {
		return
	}
	if len(items) > MaxCollections {
		list.complain("A schema has at most %d collections.", MaxCollections)
		return
	}
	for _, item := range items {
		if collection, ok := readCollection(item); ok {
			d.Collections = append(d.Collections, collection)
		}
	}
	d.checkNames()
}

// wordPattern matches the names of collections and fields, as in PocketBase.
var wordPattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,99}$`)

// checkNames complains about names that occur twice.
func (d *Declaration) checkNames() {
	seen := make(map[string]bool)
	for _, collection := range d.Collections {
		name := strings.ToLower(collection.Name)
		if seen[name] {
			collection.at.complain("There are two collections %q.", collection.Name)
		}
		seen[name] = true
		fields := make(map[string]bool)
		for _, field := range collection.fields {
			name := strings.ToLower(field.Name)
			if fields[name] {
				field.at.complain("The collection %q has two fields %q.", collection.Name, field.Name)
			}
			fields[name] = true
		}
	}
}

// ruleNames are the members of a collection that are rules.
var ruleNames = []string{"listRule", "viewRule", "createRule", "updateRule", "deleteRule"}

// optionNames are the other members of a collection by its type.
var optionNames = map[backend.CollectionType][]string{
	backend.Base: nil,
	backend.View: {"viewQuery"},
	backend.Auth: {"authRule", "manageRule", "authAlert", "passwordAuth", "oauth2", "mfa", "otp", "authToken", "passwordResetToken", "emailChangeToken", "verificationToken", "fileToken", "verificationTemplate", "resetPasswordTemplate", "confirmEmailChangeTemplate"},
}

// ignoredNames are members of PocketBase's export that say nothing about the form.
var ignoredNames = []string{"system", "created", "updated"}

// readCollection reads an item of "collections". It returns false if the item has no name.
func readCollection(at node) (declaredCollection, bool) {
	c := declaredCollection{at: at, members: make(map[string]node)}
	members, ok := at.members("A collection")
	if !ok {
		return c, false
	}
	for _, member := range members {
		c.members[member.name] = member.value
	}
	if c.Name, ok = c.name(); !ok {
		return c, false
	}
	c.Type = c.typeOf()
	c.Options = make(map[string]json.RawMessage)
	for _, member := range members {
		c.readMember(member)
	}
	return c, true
}

func (c *declaredCollection) name() (string, bool) {
	at, ok := c.members["name"]
	if !ok {
		c.at.complain("A collection has no \"name\".")
		return "", false
	}
	return readName(at, "The name of a collection")
}

func readName(at node, what string) (string, bool) {
	name, ok := at.text(what)
	if ok && !wordPattern.MatchString(name) {
		at.complain("%s must begin with a letter and have only letters, digits and _ (at most 100).", what)
		return "", false
	}
	return name, ok
}

func (c *declaredCollection) typeOf() backend.CollectionType {
	at, ok := c.members["type"]
	if !ok {
		return backend.Base
	}
	text, ok := at.text("\"type\"")
	if _, known := optionNames[backend.CollectionType(text)]; ok && !known {
		at.complain("The type of the collection %q must be base, auth or view.", c.Name)
	}
	return backend.CollectionType(text)
}

func (c *declaredCollection) readMember(member member) {
	switch name := member.name; {
	case name == "name", name == "type", slices.Contains(ignoredNames, name):
	case name == "id":
		c.ID, _ = member.value.text("\"id\"")
	case name == "renamedFrom":
		c.RenamedFrom, _ = readName(member.value, "\"renamedFrom\"")
	case name == "fields" || name == "schema":
		c.readFields(member.value)
	case name == "indexes":
		c.readIndexes(member.value)
	case slices.Contains(ruleNames, name):
		c.readRule(name, member.value)
	case name == "oauth2" && c.Type == backend.Auth:
		c.readOAuth(member.value)
	case slices.Contains(optionNames[c.Type], name):
		c.Options[name] = member.value.raw
	default:
		known := slices.Concat([]string{"id", "name", "type", "fields", "indexes", "renamedFrom"}, ruleNames, optionNames[c.Type])
		member.value.complain("A collection of type %s has no member %q%s.", c.Type, name, suggestion(name, known))
	}
}

// readOAuth reads the option oauth2. Providers have secrets, and a file of the project has readers.
func (c *declaredCollection) readOAuth(at node) {
	members, ok := at.members("\"oauth2\"")
	for _, member := range members {
		listed := bytes.Trim(member.value.raw, "[] \t\r\n")
		if strings.EqualFold(member.name, "providers") && len(listed) > 0 && !member.value.isNull() {
			member.value.complain("Providers of \"oauth2\" do not belong in a file: everybody who sees the project would read their secrets. Remove \"providers\", enter them under Data, Sign-in, and replace a secret that was saved here.")
			return
		}
	}
	if ok {
		c.Options["oauth2"] = at.raw
	}
}

func (c *declaredCollection) readRule(name string, at node) {
	if at.isNull() {
		return
	}
	text, ok := at.text("\"" + name + "\"")
	if !ok {
		return
	}
	rules := map[string]**string{
		"listRule": &c.Rules.List, "viewRule": &c.Rules.View, "createRule": &c.Rules.Create,
		"updateRule": &c.Rules.Update, "deleteRule": &c.Rules.Delete,
	}
	if c.Type == backend.View && name != "listRule" && name != "viewRule" {
		at.complain("A view is read-only: it has no %q.", name)
		return
	}
	*rules[name] = &text
}

func (c *declaredCollection) readIndexes(at node) {
	items, ok := at.items("\"indexes\"")
	if ok && len(items) > MaxIndexes {
		at.complain("A collection has at most %d indexes.", MaxIndexes)
		return
	}
	for _, item := range items {
		if index, ok := item.text("An index"); ok {
			c.Indexes = append(c.Indexes, index)
		}
	}
}

func (c *declaredCollection) readFields(at node) {
	items, ok := at.items("\"fields\"")
	if ok && len(items) > MaxFields {
		at.complain("A collection has at most %d fields.", MaxFields)
		return
	}
	for _, item := range items {
		if field, ok := readField(item); ok {
			c.fields = append(c.fields, field)
		}
	}
}

// fieldOptions are the members of a field by its type, as in PocketBase's export.
var fieldOptions = map[string][]string{
	"text":     {"min", "max", "pattern", "autogeneratePattern", "primaryKey"},
	"editor":   {"maxSize", "convertURLs"},
	"number":   {"min", "max", "onlyInt"},
	"bool":     nil,
	"email":    {"exceptDomains", "onlyDomains"},
	"url":      {"exceptDomains", "onlyDomains"},
	"date":     {"min", "max"},
	"autodate": {"onCreate", "onUpdate"},
	"select":   {"values", "maxSelect"},
	"file":     {"maxSize", "maxSelect", "mimeTypes", "thumbs", "protected"},
	"relation": {"collection", "collectionId", "cascadeDelete", "minSelect", "maxSelect"},
	"json":     {"maxSize"},
	"geoPoint": nil,
	"password": {"min", "max", "pattern", "cost"},
}

// commonFieldOptions belong to fields of all types.
var commonFieldOptions = []string{"required", "hidden", "presentable", "help"}

func readField(at node) (declaredField, bool) {
	f := declaredField{at: at, members: make(map[string]node)}
	members, ok := at.members("A field")
	if !ok {
		return f, false
	}
	for _, member := range members {
		f.members[member.name] = member.value
	}
	name, ok := f.members["name"]
	if !ok {
		at.complain("A field has no \"name\".")
		return f, false
	}
	if f.Name, ok = readName(name, "The name of a field"); !ok {
		return f, false
	}
	kind, ok := f.members["type"]
	if !ok {
		at.complain("The field %q has no \"type\".", f.Name)
		return f, false
	}
	f.Type, ok = kind.text("\"type\"")
	if _, known := fieldOptions[f.Type]; ok && !known {
		kind.complain("The type of the field %q must be one of %s.", f.Name, strings.Join(slices.Sorted(maps.Keys(fieldOptions)), ", "))
		return f, false
	}
	f.Options = make(map[string]json.RawMessage)
	for _, member := range members {
		f.readMember(member)
	}
	return f, ok
}

func (f *declaredField) readMember(member member) {
	known := slices.Concat(commonFieldOptions, fieldOptions[f.Type])
	switch name := member.name; {
	case name == "name", name == "type", slices.Contains(ignoredNames, name):
	case name == "id":
		f.ID, _ = member.value.text("\"id\"")
	case name == "renamedFrom":
		f.RenamedFrom, _ = readName(member.value, "\"renamedFrom\"")
	case slices.Contains(known, name):
		f.Options[name] = member.value.raw
	default:
		member.value.complain("A field of type %s has no member %q%s.", f.Type, name, suggestion(name, append(known, "id", "name", "type", "renamedFrom")))
	}
}

// suggestion names the known word that differs from another by its case or a letter or two.
func suggestion(name string, known []string) string {
	for _, word := range known {
		if distance(strings.ToLower(name), strings.ToLower(word)) <= 2 {
			return "; did you mean \"" + word + "\"?"
		}
	}
	return "; it has " + strings.Join(slices.Sorted(slices.Values(known)), ", ")
}

// distance is the Levenshtein distance of two words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			next := before
			if a[i] != b[j] {
				next = 1 + min(before, row[j], row[j+1])
			}
			before, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}
