package bunstore

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"time"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/ports/tracing"
)

// session is the access of the repositories to the database: the store itself, or one
// transaction. noun names the record in not_found errors. It returns translated errors.
type session interface {
	// read runs statements that change nothing.
	read(ctx context.Context, noun string, do statements) error
	// look is read for one lookup. It scans all rows into a slice, one row into anything
	// else.
	look(ctx context.Context, noun string, wanted lookup, into any, values ...string) error
	// exec runs one statement.
	exec(ctx context.Context, noun string, do statements) error
	// write runs statements atomically. do may run more than once.
	write(ctx context.Context, noun string, do statements) error
	// lock makes a select lock its rows until the transaction ends.
	lock(query *bun.SelectQuery) *bun.SelectQuery
	speaks() dialect
}

type statements func(ctx context.Context, db bun.IDB) error

func (s *Store) read(ctx context.Context, noun string, do statements) error {
	ctx, cancel := context.WithTimeout(ctx, s.limits.call)
	defer cancel()
	return s.traced(ctx, "database read", noun, func(ctx context.Context) error { return do(ctx, s.reader) })
}

func (s *Store) exec(ctx context.Context, noun string, do statements) error {
	return s.traced(ctx, "database write", noun, func(ctx context.Context) error {
		return s.retry(ctx, s.limits.call, func(ctx context.Context) error { return do(ctx, s.writer) })
	})
}

func (s *Store) write(ctx context.Context, noun string, do statements) error {
	return s.traced(ctx, "database write", noun, func(ctx context.Context) error {
		return s.retry(ctx, s.limits.call, func(ctx context.Context) error {
			return s.writer.RunInTx(ctx, &sql.TxOptions{}, func(ctx context.Context, tx bun.Tx) error { return do(ctx, tx) })
		})
	})
}

// traced is a call of the database as a span of ctx's trace, with its error translated. The span has
// the name and the noun, and nothing of the statement.
func (s *Store) traced(ctx context.Context, name, noun string, do func(context.Context) error) error {
	ctx, span := tracing.Child(ctx, name, tracing.Client)
	err := s.translate(do(ctx), noun)
	if span.TraceID() != "" {
		span.Add(tracing.Text("db.collection.name", noun))
	}
	tracing.End(span, err)
	return err
}

func (s *Store) lock(query *bun.SelectQuery) *bun.SelectQuery { return s.dialect.lock(query) }

func (s *Store) speaks() dialect { return s.dialect }

// retry repeats do while the database asks for it, at most for the given time.
func (s *Store) retry(ctx context.Context, limit time.Duration, do func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for pause := time.Millisecond; ; pause = min(2*pause, 64*time.Millisecond) {
		err := do(ctx)
		if err == nil || s.dialect.classify(err).kind != failureRetry {
			return err
		}
		if ctxsync.Sleep(ctx, rand.N(pause)) != nil {
			return err
		}
	}
}

// transaction runs every change between savepoints, so that a failed change is undone and
// the transaction can go on.
type transaction struct {
	tx    bun.Tx
	store *Store
	// failure is the error that prevents the transaction's commit, whatever its caller
	// does about it.
	failure error
}

func (t *transaction) read(ctx context.Context, noun string, do statements) error {
	return t.note(do(ctx, t.tx), noun)
}

func (t *transaction) exec(ctx context.Context, noun string, do statements) error {
	return t.write(ctx, noun, do)
}

func (t *transaction) write(ctx context.Context, noun string, do statements) error {
	if _, err := t.tx.ExecContext(ctx, "SAVEPOINT change"); err != nil {
		return t.note(err, noun)
	}
	if err := do(ctx, t.tx); err != nil {
		// The change must be undone even if its context has ended.
		undo, cancel := context.WithTimeout(context.WithoutCancel(ctx), t.store.limits.call)
		defer cancel()
		if _, undoErr := t.tx.ExecContext(undo, "ROLLBACK TO SAVEPOINT change"); undoErr != nil {
			t.fail(undoErr)
		}
		return t.note(err, noun)
	}
	_, err := t.tx.ExecContext(ctx, "RELEASE SAVEPOINT change")
	return t.note(err, noun)
}

// note records an error after which only the whole transaction can be repeated.
func (t *transaction) note(err error, noun string) error {
	if err != nil && t.store.dialect.classify(err).kind == failureRetry {
		t.fail(err)
	}
	return t.store.translate(err, noun)
}

func (t *transaction) fail(err error) {
	if t.failure == nil {
		t.failure = err
	}
}

func (t *transaction) lock(query *bun.SelectQuery) *bun.SelectQuery {
	return t.store.dialect.lock(query)
}

func (t *transaction) speaks() dialect { return t.store.dialect }
