package backend

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/atelierhq/atelier/core"
)

// Transfers moves many records at once, rules aside. An engine implements it, too. A collection
// that does not exist has code core.CodeNotFound.
type Transfers interface {
	// Insert writes records in their order: all of them, or none. Each is a JSON object of values
	// by the names of the fields. One whose id is there changes that record in the fields that it
	// has; every other is created, with its id if it has one. Given dates of autodate fields are
	// kept; file fields are not given. A new user without a password gets one that nobody knows.
	//
	// It returns how many records were changed, and a *RefusedRecords if the collection does not accept
	// some. A view has code core.CodeValidationFailed.
	Insert(ctx context.Context, place Place, collection string, batch Insertion) (changed int, err error)
	// Dump writes the records of one moment as Identity.Owner reads them: each as a line of
	// JSON, the oldest first.
	Dump(ctx context.Context, place Place, collection string, to io.Writer) error
}

// Insertion is what Insert writes.
type Insertion struct {
	Records []json.RawMessage
	// DryRun only looks for refusals.
	DryRun bool
}

// RefusedRecords says which records a collection does not accept. Its code is core.CodeValidationFailed.
type RefusedRecords struct {
	// Records is their number. A record that refers to a refused one is refused as well.
	Records int
	// Refusals are the reasons, in the order of the records, at most core.MaxRefusedRows.
	Refusals []Refusal
}

// Refusal is a reason why a record is not accepted.
type Refusal struct {
	// Index counts the records from 0.
	Index int
	// Field is the name of the field that is wrong, empty if it is not one.
	Field string
	// Message is cut to maxRefusalRunes.
	Message string
}

// maxRefusalRunes bounds a message, which may quote a value.
const maxRefusalRunes = 200

// Add adds a record that is refused for some reasons, by the names of the fields. There is at least
// one.
func (r *RefusedRecords) Add(index int, reasons map[string]string) {
	r.Records++
	for _, field := range slices.Sorted(maps.Keys(reasons)) {
		if len(r.Refusals) == core.MaxRefusedRows {
			return
		}
		message := []rune(reasons[field])
		r.Refusals = append(r.Refusals, Refusal{index, field, string(message[:min(len(message), maxRefusalRunes)])})
	}
}

// Err returns the error, nil if no record is refused.
func (r *RefusedRecords) Err() error {
	if r.Records == 0 {
		return nil
	}
	return r
}

// Error implements error.
func (r *RefusedRecords) Error() string {
	text := fmt.Sprintf("%d records are refused", r.Records)
	for _, first := range r.Refusals[:min(len(r.Refusals), 1)] {
		text += fmt.Sprintf(", such as record %d %s: %s", first.Index+1, first.Field, first.Message)
	}
	return text
}

// Unwrap gives the error its code.
func (r *RefusedRecords) Unwrap() error {
	return core.Errorf(core.CodeValidationFailed, "%s", r.Error())
}
