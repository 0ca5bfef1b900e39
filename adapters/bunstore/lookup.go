package bunstore

import (
	"context"

	"github.com/uptrace/bun"
)

// lookup is a select of which only values change from call to call, so that it
// can be kept compiled.
type lookup struct {
	// key tells the lookup from all others.
	key any
	// query writes value(i) where the i-th value stands.
	query func(db bun.IDB, value func(i int) any) *bun.SelectQuery
}

// lookups runs lookups outside of transactions and keeps them compiled: compiling takes
// a database longer than finding a row by its key.
type lookups interface {
	// scan reads all rows that the lookup finds into a slice, or the first row into
	// anything else: sql.ErrNoRows says that there is none.
	scan(ctx context.Context, wanted lookup, into any, values []string) error
	// close ends the lookups that are under way with an error, and returns when nothing
	// of them is left.
	close()
}

// text is the lookup as the database gets it, with places for the values.
func (l lookup) text(db *bun.DB, dialect dialect) string {
	return l.query(db, func(i int) any { return bun.Safe(dialect.value(i + 1)) }).String()
}

func (s *Store) look(ctx context.Context, noun string, wanted lookup, into any, values ...string) error {
	return s.read(ctx, noun, func(ctx context.Context, _ bun.IDB) error {
		return s.lookups.scan(ctx, wanted, into, values)
	})
}

func (t *transaction) look(ctx context.Context, noun string, wanted lookup, into any, values ...string) error {
	return t.read(ctx, noun, func(ctx context.Context, db bun.IDB) error { return wanted.once(ctx, db, into, values) })
}

// once runs the lookup without keeping it.
func (l lookup) once(ctx context.Context, db bun.IDB, into any, values []string) error {
	return l.query(db, func(i int) any { return values[i] }).Scan(ctx, into)
}
