// Package bounded opens SQLite databases in which no statement takes more than its share.
//
// Strangers' filters and the views of schemas are statements of people who need not be friends of
// the others in a process. So a text or row has a largest size, and so has what a statement
// returns. A statement has a time, which counts while it runs and not while it waits, and ends
// also in the middle of a row; and it runs only in a turn of its tenant.
package bounded

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"reflect"
	"time"

	"modernc.org/libc"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Errors of statements.
var (
	// ErrTooSlow is that of a statement at its limit of time.
	ErrTooSlow = errors.New("the statement took too long")
	// ErrTooLarge is that of a statement that returns too much.
	ErrTooLarge = errors.New("the statement returns too much")
)

// Bounds are those of a database. The time and the turns bind statements whose context has a
// deadline, as PocketBase's and those of people have. Others are of the service itself, such as
// copies of the whole database.
type Bounds struct {
	// Time is how long a statement may run.
	Time time.Duration
	// ValueBytes bounds a text, a blob, and a row. ResultBytes bounds what a statement returns.
	ValueBytes  int
	ResultBytes int64
	// Enter waits for a turn to run, which ends with leave.
	Enter func(ctx context.Context) (leave func(), err error)
}

// Open opens a database, as sql.Open does.
func Open(dsn string, bounds Bounds) (*sql.DB, error) {
	to, err := sqlite.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector{to, bounds}), nil
}

// connector opens connections.
type connector struct {
	driver.Connector
	bounds Bounds
}

// Connect implements driver.Connector.
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	made, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	opened, err := c.bind(made)
	if err != nil {
		return nil, errors.Join(err, made.Close())
	}
	return opened, nil
}

// bind gives a connection its bounds.
func (c connector) bind(made driver.Conn) (*conn, error) {
	whole, isWhole := made.(session)
	db, err := handleOf(made)
	if err != nil || !isWhole {
		return nil, errors.Join(err, fmt.Errorf("connections of the driver have another form: %T", made))
	}
	if c.bounds.ValueBytes > 0 {
		tls := libc.NewTLS()
		defer tls.Close()
		sqlite3.Xsqlite3_limit(tls, db, sqlite3.SQLITE_LIMIT_LENGTH, int32(c.bounds.ValueBytes))
	}
	return &conn{whole, c.bounds, db}, nil
}

// handleOf returns SQLite's own handle of a connection. The driver sets limits only on connections
// of a pool, and ends a statement only until its first row; it keeps the handle to itself.
func handleOf(made driver.Conn) (uintptr, error) {
	inner := reflect.ValueOf(made)
	if inner.Kind() != reflect.Pointer || inner.Elem().Kind() != reflect.Struct {
		return 0, fmt.Errorf("connections of the driver have another form: %T", made)
	}
	field := inner.Elem().FieldByName("db")
	if field.Kind() != reflect.Uintptr || field.Uint() == 0 {
		return 0, fmt.Errorf("connections of the driver have no handle: %T", made)
	}
	return uintptr(field.Uint()), nil
}

// interrupt ends the statement that runs on a connection. SQLite allows that from any thread.
func interrupt(db uintptr) {
	tls := libc.NewTLS()
	defer tls.Close()
	sqlite3.Xsqlite3_interrupt(tls, db)
}
