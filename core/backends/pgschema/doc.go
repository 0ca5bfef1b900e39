// Package pgschema turns SQL that makes the tables of a Postgres database, such as a dump of Supabase
// or its migrations, into a schema of collections.
//
// The SQL is read, never run: scan splits it into tokens, statements.go plays the statements that make and
// change tables, types, indexes and policies in their order, and leaves all others out. Then columns
// become fields (fields.go) and policies become rules (rules.go). A policy that has no equivalent
// rule opens nothing. What was left out or changed its meaning is a note.
package pgschema
