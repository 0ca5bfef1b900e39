// Package backend is the port to the engine that holds the data of projects' backends:
// records, end users, files and realtime, spoken in PocketBase's HTTP interface.
package backend

import (
	"context"
	"io"
	"net/http"

	"github.com/atelierhq/atelier/core"
)

// Place names a data set: one environment of one project, or a copy of one.
type Place struct {
	Project core.ID
	Env     core.DataEnv
	// Copy is the id of a scratch copy (Snapshots.Copy), empty for the data itself. It does not
	// outlive the engine, and the requests in a second are not bounded there.
	Copy core.ID
}

// Engine holds data sets. It opens one when it is first used, and closes it when nobody has
// used it for a while. It may be used by many goroutines.
//
// A place that was never given a schema has code core.CodeNotFound, except for Apply, which
// creates it, and Remove. core.CodeUnavailable means that the engine has failed and that the
// call may be repeated; core.CodePayloadTooLarge that the place is full.
type Engine interface {
	// Serve answers a request in PocketBase's interface; the path begins with /api/. The
	// failures of the engine itself are answered as JSON in PocketBase's form, with status 503
	// and Retry-After if the engine cannot be reached. It never answers for PocketBase's admin
	// page, superusers' sign-in, settings, logs, backups, crons, SQL or the management of
	// collections: 404 for every caller.
	//
	// An auth collection offers the providers of SignIns for signing in, unless its option oauth2
	// turns them off, or mfa is on and oauth2 does not turn them on. Providers are asked through
	// the client that the engine was given: without redirects, for 15 seconds and 1 MiB an answer.
	// What goes wrong there is a 400. /api/oauth2-redirect answers 200 if a window waited for the
	// code that it brings, else 400.
	//
	// The response has no cookie, and UserHeader if the request is an end user's. Streams (text/event-stream) last until the caller goes, the
	// data set is removed, or an hour is over.
	Serve(w http.ResponseWriter, r *http.Request, place Place, as Identity)

	// Schema returns the schema in force as Apply was given it, ids included.
	Schema(ctx context.Context, place Place) (Schema, error)
	// Check returns the first problem for which Apply would refuse a schema, without changing
	// anything. The place need not exist.
	Check(ctx context.Context, place Place, schema Schema) error
	// Apply makes the schema that of the place, in one step that a crash cannot tear. It
	// creates the place if needed. Collections and fields are matched by their ids, which must
	// all be given; whatever the schema lacks is removed with its data. It returns a *Problem
	// for a schema that the engine does not accept, and then changes nothing.
	Apply(ctx context.Context, place Place, schema Schema) error
	// Weigh returns for each change how many records would lose a value if it were applied.
	Weigh(ctx context.Context, place Place, changes []Change) ([]int64, error)

	// Stats returns what a place holds.
	Stats(ctx context.Context, place Place) (Stats, error)
	// Remove deletes the data of a place, its files and its snapshots. It is idempotent, and
	// ends the place's requests. Without an environment it removes all of the project.
	Remove(ctx context.Context, place Place) error
}

// Queries runs SQL on the records of a place. An engine implements it, too.
type Queries interface {
	// Query runs one SELECT and returns at most MaxRows rows. Secrets of the place, such as
	// password hashes and token keys, read as null. Anything but a SELECT has code
	// core.CodeValidationFailed with the engine's message, and so has one that takes longer
	// than MaxQueryTime.
	Query(ctx context.Context, place Place, sql string) (Table, error)
}

// Snapshots keeps copies of whole places. An engine implements it, too. A snapshot is
// consistent: it holds the records of one moment, and every file that these name.
type Snapshots interface {
	// Snapshot makes a snapshot, durably, and returns its size in bytes.
	Snapshot(ctx context.Context, place Place, id core.ID) (int64, error)
	// Restore makes the place what it was at a snapshot, schema included, in one step that a
	// crash cannot tear. Sign-ins of that time are valid again. A missing snapshot has code
	// core.CodeNotFound.
	Restore(ctx context.Context, place Place, id core.ID) error
	// Forget deletes a snapshot. It is idempotent.
	Forget(ctx context.Context, place Place, id core.ID) error
	// Copy makes to a copy of from as it is at the moment, without its snapshots. It replaces
	// what to held. Sessions and file tokens of from are not valid in the copy.
	Copy(ctx context.Context, from, to Place) error
	// Export writes the place as the directory pb_data of the stock PocketBase binary: a tar
	// archive. Only the records' own secrets are in it, and no superuser.
	Export(ctx context.Context, place Place, to io.Writer) error
}

// Identity says on whose behalf a request is served. The zero value is the public: the user
// that the request's Authorization header names, or a guest.
type Identity struct {
	// Owner ignores the rules, as the project's members do, and is told why a filter or a sort
	// is wrong.
	Owner bool
	// Email acts as the end user with that address; Collection is the auth collection, empty
	// for the only one. Without such a user the answer is 404. auth-refresh returns a session of
	// the user.
	Collection, Email string
}

// Bounds of Query.
const (
	MaxRows      = 200
	MaxQueryTime = 1000 // milliseconds
)

// Table is the result of a query. Values are nil, bool, int64, float64 or string.
type Table struct {
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows"`
	// Truncated says that there are more rows.
	Truncated bool `json:"truncated"`
}

// Stats counts the contents of a place. Bytes counts the database, FileBytes the files of records.
// Users counts the records of auth collections, which Records includes.
type Stats struct {
	Records   int64 `json:"records"`
	Bytes     int64 `json:"bytes"`
	FileBytes int64 `json:"fileBytes"`
	Users     int64 `json:"users"`
	// Collections has the records by the collections' names.
	Collections map[string]int64 `json:"-"`
}

// Change is a change of the schema that may lose values: the removal of a collection (Field
// is empty), of a field (To is nil), or a new definition of a field.
type Change struct {
	// Collection and Field are ids.
	Collection, Field string
	To                *Field
}

// AddressPlaceholder replaces the address of the application in mails, such as
// https://shop.example.com: an engine does not know it.
const AddressPlaceholder = "https://application.invalid"

// NamePlaceholder stands for the application's name in the mails that an engine writes. It
// needs no escape in HTML.
const NamePlaceholder = "name.application.invalid"

// Mail is a mail to an end user. To is one address.
type Mail struct {
	To, Subject, Text, HTML string
}

// Post takes the mails that an engine's end users are sent. The service implements it; the
// engine calls it while a request waits, so it returns once the mail is durably queued.
type Post interface {
	// Send returns core.CodeRateLimited if the project has sent too many mails.
	Send(ctx context.Context, place Place, mail Mail) error
}
