package bunstore

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/migrate"

	"github.com/atelierhq/atelier/core"
)

// dialect holds the differences between SQLite and PostgreSQL.
type dialect interface {
	// classify returns the kind of failure of a driver's error.
	classify(err error) failure
	// isolation makes transactions serializable.
	isolation() sql.IsolationLevel
	// lock makes a select lock its rows.
	lock(query *bun.SelectQuery) *bun.SelectQuery
	// keep makes a select protect its rows from deletion until the transaction ends, but
	// from no other change.
	keep(query *bun.SelectQuery) *bun.SelectQuery
	// ping is a statement that only a working database answers.
	ping() string
	// probe changes an unused record, and checks whatever else tells that there is room
	// for changes. Its commit may be lost in a power cut.
	probe(ctx context.Context, tx bun.Tx) error
	// elements is a table expression with the column "value" over one argument, a JSON
	// array of texts.
	elements() string
	// find is an expression for the position of one text in another, 0 if it does not
	// occur.
	find(text, part string) string
	// value is the placeholder of a statement's i-th argument, counted from 1.
	value(i int) string
	// skipLocked ends a subselect that takes one row for the caller alone.
	skipLocked() string
	// sealedColumns lists the tables and columns that hold sealed values.
	sealedColumns() string
	schema
}

// schema is the part of a dialect that migrations need.
type schema interface {
	migrations() (*migrate.Migrations, error)
	// lockSchema keeps other processes from migrating until unlock is called.
	lockSchema(ctx context.Context, db *bun.DB) (unlock func(), err error)
}

// failure is the meaning of a driver's error. For failureUnique, key names the violated
// unique key in the words of the dialect's driver.
type failure struct {
	kind failureKind
	key  string
}

type failureKind int

const (
	_ failureKind = iota // any other
	// failureRetry: the same transaction may succeed when it is repeated.
	failureRetry
	// failureUnique: a record with this key exists.
	failureUnique
	// failureParent: a record that this one belongs to does not exist, or its id is not
	// storable (see argument).
	failureParent
	// failureNoTable: the schema has not been created.
	failureNoTable
)

// refusal carries an error of the caller's own through the layers, to be returned
// unchanged.
type refusal struct{ error }

// translate gives an error of the driver its code. noun names the missing record in the
// message.
func (s *Store) translate(err error, noun string) error {
	var refused refusal
	var known *core.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused):
		return refused.error
	case errors.As(err, &known):
		return err
	case errors.Is(err, sql.ErrNoRows):
		return core.NotFound(noun)
	}
	switch failure := s.dialect.classify(err); failure.kind {
	case failureUnique:
		return conflict(failure.key, noun, err)
	case failureParent:
		return core.Wrap(core.CodeNotFound, err, "the %s belongs to a record that does not exist", noun)
	}
	return core.Wrap(core.CodeUnavailable, err, "the database is not available")
}

// conflict returns the code for a violated unique key, which is the name of its index on
// PostgreSQL and its columns on SQLite.
func conflict(key, noun string, cause error) *core.Error {
	switch key {
	case "users_email", "users.email":
		return core.Wrap(core.CodeEmailTaken, cause, "this e-mail address is in use")
	case "projects_slug", "projects.workspace_id, projects.slug":
		return core.Wrap(core.CodeConflict, cause, "another project of the workspace has this slug")
	case "modes_name", "modes.workspace_id, modes.name":
		return core.Wrap(core.CodeConflict, cause, "another mode of the workspace has this name")
	case "commands_name", "commands.workspace_id, commands.name":
		return core.Wrap(core.CodeConflict, cause, "another command of the workspace has this name")
	case "projects_published_slug", "projects.published_slug":
		return core.Wrap(core.CodeSlugTaken, cause, "another site has this slug")
	case "domains_holder", "domains.name":
		return core.Wrap(core.CodeDomainTaken, cause, "another project has this domain")
	case "domains_project", "domains.project_id, domains.name":
		return core.Wrap(core.CodeConflict, cause, "the project already has this domain")
	case "runs_busy", "runs.chat_id":
		return core.Wrap(core.CodeChatBusy, cause, "a run is active in this chat")
	}
	return core.Wrap(core.CodeConflict, cause, "this %s already exists", noun)
}
