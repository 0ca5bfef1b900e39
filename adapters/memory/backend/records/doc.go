// Package records holds what a place has at one moment: its collections with their records, its
// files, and what signs its tokens.
//
// A State in force never changes. A change is a Transaction on a copy, which refuses records that
// the fields do not accept, and notes what happened to which record. Migrate makes a copy with
// another schema. Package rules decides who may see or do what.
package records
