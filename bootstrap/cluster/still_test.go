package cluster

import (
	"context"
	"net/url"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/atelierhq/atelier/bootstrap/process"
	"github.com/atelierhq/atelier/core"
)

// names are those by which the database knows processes.
type names map[*process.Service]string

// named returns the database's address for a process of which the database shall know the
// name.
func (c *cluster) named(name string) string {
	c.t.Helper()
	address, err := url.Parse(c.setting("DATABASE_URL"))
	if err != nil {
		c.t.Fatal(err)
	}
	options := address.Query()
	options.Set("application_name", name)
	address.RawQuery = options.Encode()
	return address.String()
}

// newName is one that no other process has on a server that many tests share.
func newName() string { return "test-" + string(core.NewID()) }

// takeOver stops the process that has the project's room, and waits until next has it. A
// process that stops under the lock of the project's files keeps that, because it may go on
// in the middle of a write, and nobody opens the room without reading the files. So it goes
// on until it has given the lock back. What it leaves half done in the database stays, for
// the server to undo.
func takeOver(t *testing.T, l *load, known names, holder, next *process.Service) {
	t.Helper()
	database := l.watch(t, known[holder])
	signal(t, holder, syscall.SIGSTOP)
	defer signal(t, holder, syscall.SIGCONT)
	wait(t, "the room in another process", func() bool {
		if database.hasLock() {
			signal(t, holder, syscall.SIGCONT)
			wait(t, "the files' lock given back", func() bool { return !database.hasLock() })
			signal(t, holder, syscall.SIGSTOP)
			return false
		}
		socket, err := l.who.tryDial(next)
		if err != nil {
			return false
		}
		_ = socket.CloseNow()
		return true
	})
}

// watcher looks at what a process has in the database.
type watcher struct {
	t    *testing.T
	conn *pgx.Conn
	name string
}

func (l *load) watch(t *testing.T, name string) *watcher {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), l.database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return &watcher{t, conn, name}
}

// hasLock reports whether the process has the lock of a record, or will have it when those
// before it in the line have gone.
func (w *watcher) hasLock() (has bool) {
	w.t.Helper()
	err := w.conn.QueryRow(w.t.Context(), "SELECT EXISTS (SELECT FROM pg_locks JOIN pg_stat_activity USING (pid)"+
		" WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND application_name = $1)", w.name).Scan(&has)
	if err != nil {
		w.t.Fatal(err)
	}
	return has
}
