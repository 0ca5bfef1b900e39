package backend

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/atelierhq/atelier/core"
)

// Schema is the form of a place: its collections, in the order of the schema file.
type Schema struct {
	Collections []Collection
}

// CollectionType says what a collection holds.
type CollectionType string

// The types of collections.
const (
	Base CollectionType = "base"
	// Auth collections hold end users.
	Auth CollectionType = "auth"
	// View collections are read-only results of a SELECT (the option viewQuery) of collections, and
	// of nothing else. Hidden fields, and addresses that end users hide, are null in it.
	View CollectionType = "view"
)

// Collection is a set of records of one form.
type Collection struct {
	ID, Name string
	Type     CollectionType
	Fields   []Field
	// Indexes are CREATE INDEX statements in SQLite's syntax.
	Indexes []string
	Rules   Rules
	// Options are the other members of PocketBase's export, such as viewQuery, authRule,
	// passwordAuth and otp.
	Options map[string]json.RawMessage
	// RenamedFrom is the name from which the schema file renames it. An engine only keeps it.
	RenamedFrom string
}

// IsSystem reports whether a field is always there, whether or not a schema lists it.
func (c Collection) IsSystem(field string) bool {
	if field == "id" {
		return true
	}
	return c.Type == Auth && slices.Contains([]string{"password", "tokenKey", "email", "emailVisibility", "verified"}, field)
}

// Rules are filters in PocketBase's syntax that say who may do what. nil means nobody but
// the project's members, the empty string means everybody.
type Rules struct {
	List, View, Create, Update, Delete *string
}

// Field is a field of a collection's records. Options are the members that depend on Type,
// as PocketBase's export has them, such as required, min, max, values, maxSelect and
// collectionId. System fields (id; password, tokenKey, email, emailVisibility and verified of
// auth collections) are always there, whether or not a schema lists them.
type Field struct {
	ID, Name, Type string
	Options        map[string]json.RawMessage
	// RenamedFrom is as that of a collection.
	RenamedFrom string
}

// Text returns an option that is a text, and "" if it is not one.
func (f Field) Text(option string) string {
	var text string
	if json.Unmarshal(f.Options[option], &text) != nil {
		return ""
	}
	return text
}

// MaxPasswordCost bounds the option cost of a password, which PocketBase lets go up to 31. Each
// step doubles the work of a sign-up or sign-in, which nothing can interrupt: 12 takes 0.2 s.
const MaxPasswordCost = 12

// Problem is the first reason why an engine does not accept a schema. Its code is
// core.CodeValidationFailed.
type Problem struct {
	// Collection and Field are names, empty if the problem is not in one.
	Collection, Field string
	// Member is the member of the JSON object that is wrong, such as listRule; it may be empty.
	Member  string
	Message string
}

// Error implements error.
func (p *Problem) Error() string {
	at := p.Collection
	if p.Field != "" {
		at += "." + p.Field
	}
	if p.Member != "" {
		at += " " + p.Member
	}
	return fmt.Sprintf("%s: %s", at, p.Message)
}

// Unwrap gives the error its code.
func (p *Problem) Unwrap() error {
	return core.Errorf(core.CodeValidationFailed, "%s", p.Message)
}
