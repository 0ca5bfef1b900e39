package bounded

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// session is what the driver's connections implement.
type session interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// conn is a connection whose statements are bounded.
type conn struct {
	session
	bounds Bounds
	db     uintptr
}

// QueryContext implements driver.QueryerContext.
func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	return c.query(ctx, func() (driver.Rows, error) { return c.session.QueryContext(ctx, query, args) })
}

// ExecContext implements driver.ExecerContext.
func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (done driver.Result, err error) {
	err = c.share(ctx).run(func() error {
		done, err = c.session.ExecContext(ctx, query, args)
		return err
	})
	return done, err
}

// PrepareContext implements driver.ConnPrepareContext.
func (c *conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	prepared, err := c.session.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	whole, ok := prepared.(statement)
	if !ok {
		return nil, fmt.Errorf("statements of the driver have another form: %T", prepared)
	}
	return &stmt{whole, c}, nil
}

// Prepare implements driver.Conn.
func (c *conn) Prepare(query string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), query)
}

// query runs a statement that returns rows. Those of a bound one are all read here: the library over
// the driver takes an error between two rows for the end of them.
func (c *conn) query(ctx context.Context, ask func() (driver.Rows, error)) (driver.Rows, error) {
	share := c.share(ctx)
	if !share.isBound {
		return ask()
	}
	read := &rows{}
	err := share.run(func() error {
		found, err := ask()
		if err != nil {
			return err
		}
		return errors.Join(read.all(found, c.bounds.ResultBytes), found.Close())
	})
	if err != nil {
		return nil, err
	}
	return read, nil
}

// share is that of a statement.
func (c *conn) share(ctx context.Context) *share {
	_, isBound := ctx.Deadline()
	return &share{ctx: ctx, of: c, isBound: isBound}
}

// statement is what the driver's prepared statements implement.
type statement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// stmt is a prepared statement that is bounded.
type stmt struct {
	statement
	of *conn
}

// QueryContext implements driver.StmtQueryContext.
func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return s.of.query(ctx, func() (driver.Rows, error) { return s.statement.QueryContext(ctx, args) })
}

// ExecContext implements driver.StmtExecContext.
func (s *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (done driver.Result, err error) {
	err = s.of.share(ctx).run(func() error {
		done, err = s.statement.ExecContext(ctx, args)
		return err
	})
	return done, err
}

// rows are rows that were read.
type rows struct {
	columns []string
	values  [][]driver.Value
}

// all reads rows of so many bytes.
func (r *rows) all(from driver.Rows, most int64) error {
	r.columns = from.Columns()
	for {
		row := make([]driver.Value, len(r.columns))
		err := from.Next(row)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, value := range row {
			most -= sizeOf(value)
		}
		if most < 0 {
			return ErrTooLarge
		}
		r.values = append(r.values, row)
	}
}

// sizeOf is how much memory a value takes.
func sizeOf(value driver.Value) int64 {
	const header = 16
	switch value := value.(type) {
	case string:
		return header + int64(len(value))
	case []byte:
		return header + int64(len(value))
	}
	return header
}

// Columns implements driver.Rows.
func (r *rows) Columns() []string { return r.columns }

// Next implements driver.Rows.
func (r *rows) Next(into []driver.Value) error {
	if len(r.values) == 0 {
		return io.EOF
	}
	copy(into, r.values[0])
	r.values = r.values[1:]
	return nil
}

// Close implements driver.Rows.
func (r *rows) Close() error { return nil }

// share is what a statement has of the processors. It has a turn only while SQLite works on it, so
// that nobody waits for others with a turn in the hand.
type share struct {
	ctx     context.Context
	of      *conn
	isBound bool

	mu      sync.Mutex
	running bool
	ended   bool
}

// run runs the statement.
func (s *share) run(work func() error) error {
	if !s.isBound {
		return work()
	}
	leave, err := s.of.bounds.Enter(s.ctx)
	if err != nil {
		return err
	}
	defer leave()
	stop := s.start()
	err = work()
	if stop() {
		return ErrTooSlow
	}
	return err
}

// start lets the time count until stop, which reports whether it was over.
func (s *share) start() (stop func() bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = true
	timer := time.AfterFunc(s.of.bounds.Time, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		// Later, the connection may work on another statement.
		if s.running {
			s.ended = true
			interrupt(s.of.db)
		}
	})
	return func() bool {
		timer.Stop()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.running = false
		return s.ended
	}
}
