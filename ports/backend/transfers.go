package backend

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/atelierhq/atelier/core"
)

// Transfers moves many records at once, rules aside. An engine implements it, too. A collection
// that does not exist has code core.CodeNotFound.
type Transfers interface {
	// Insert creates records in their order: all of them, or none. Each is a JSON object of
	// values by the names of the fields. A given id is kept, and so are given dates of autodate
	// fields; file fields are not given. A user without a password gets one that nobody knows.
	//
	// It returns a *Refusal for a record that the collection does not accept. A view has code
	// core.CodeValidationFailed.
	Insert(ctx context.Context, place Place, collection string, records []json.RawMessage) error
	// Dump writes the records of one moment as Identity.Owner reads them: each as a line of
	// JSON, the oldest first.
	Dump(ctx context.Context, place Place, collection string, to io.Writer) error
}

// Refusal says why a collection does not accept a record. Its code is core.CodeValidationFailed.
type Refusal struct {
	// Index counts the records from 0.
	Index int
	// Field is the name of the field that is wrong, empty if it is not one.
	Field   string
	Message string
}

// Error implements error.
func (r *Refusal) Error() string {
	if r.Field == "" {
		return fmt.Sprintf("record %d: %s", r.Index+1, r.Message)
	}
	return fmt.Sprintf("record %d, %s: %s", r.Index+1, r.Field, r.Message)
}

// Unwrap gives the error its code.
func (r *Refusal) Unwrap() error {
	return core.Errorf(core.CodeValidationFailed, "%s", r.Error())
}
