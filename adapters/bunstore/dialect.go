package bunstore

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/migrate"

	"github.com/atelierhq/atelier/core"
)

// dialect is where SQLite and PostgreSQL differ.
type dialect interface {
	// classify tells what kind of failure an error of the driver is.
	classify(err error) failure
	// isolation makes transactions serializable.
	isolation() sql.IsolationLevel
	// lock makes a select lock its rows.
	lock(query *bun.SelectQuery) *bun.SelectQuery
	// keep makes a select keep its rows from being deleted until the transaction
	// ends, whatever else is done to them.
	keep(query *bun.SelectQuery) *bun.SelectQuery
	// ping is a statement that only a working database answers.
	ping() string
	// probe changes a record that nobody reads, and whatever else tells that there is
	// room for changes. Its commit may be lost in a power cut.
	probe(ctx context.Context, tx bun.Tx) error
	// elements is a table expression with the column "value" over one argument, a
	// JSON array of texts.
	elements() string
	// find is an expression for the place of one text in another, 0 when it is not
	// there.
	find(text, part string) string
	// value is the place of the i-th value, from 1, that a driver is given beside a
	// statement.
	value(i int) string
	// skipLocked ends a subselect that takes one row for the caller alone.
	skipLocked() string
	// sealedColumns lists the tables and columns that hold sealed values.
	sealedColumns() string
	schema
}

// schema is what migrating takes.
type schema interface {
	migrations() (*migrate.Migrations, error)
	// lockSchema keeps other processes from migrating until unlock.
	lockSchema(ctx context.Context, db *bun.DB) (unlock func(), err error)
}

// failure is what a driver's error means. key is what of failureUnique is not
// unique, in the words of the dialect's driver.
type failure struct {
	kind failureKind
	key  string
}

type failureKind int

const (
	_ failureKind = iota // any other
	// failureRetry: the same transaction may succeed when it is run again.
	failureRetry
	// failureUnique: a record with this key exists.
	failureUnique
	// failureParent: a record that this one belongs to does not exist.
	failureParent
	// failureNoTable: the schema has not been made.
	failureNoTable
)

// refusal carries an error of the caller's own through the layers, to be
// returned as it is.
type refusal struct{ error }

// translate gives an error of the driver its code. noun names what is not there.
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
		return core.Wrap(core.CodeNotFound, err, "the %s belongs to a record that is not there", noun)
	}
	return core.Wrap(core.CodeUnavailable, err, "the database is not available")
}

// conflict names the code of a unique key: the name of its index on PostgreSQL,
// its columns on SQLite.
func conflict(key, noun string, cause error) *core.Error {
	switch key {
	case "users_email", "users.email":
		return core.Wrap(core.CodeEmailTaken, cause, "this e-mail address is in use")
	case "projects_slug", "projects.workspace_id, projects.slug":
		return core.Wrap(core.CodeConflict, cause, "another project of the workspace has this slug")
	case "modes_name", "modes.workspace_id, modes.name":
		return core.Wrap(core.CodeConflict, cause, "another mode of the workspace has this name")
	case "projects_published_slug", "projects.published_slug":
		return core.Wrap(core.CodeSlugTaken, cause, "another site has this slug")
	case "domains_holder", "domains.name":
		return core.Wrap(core.CodeDomainTaken, cause, "another project holds this domain")
	case "domains_project", "domains.project_id, domains.name":
		return core.Wrap(core.CodeConflict, cause, "the project claims this domain already")
	case "runs_busy", "runs.chat_id":
		return core.Wrap(core.CodeChatBusy, cause, "a run is active in this chat")
	}
	return core.Wrap(core.CodeConflict, cause, "this %s exists already", noun)
}
