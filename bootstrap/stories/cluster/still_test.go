package cluster

import (
	"context"
	"net/url"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/core"
)

// names are those by which the database knows processes.
type names map[*process.Service]string

// named returns the database's address for a process, with a name that the database
// shows.
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

// takeOver suspends the process that has the project's room, whatever it is doing, and
// waits until next has the room.
func takeOver(t *testing.T, l *load, holder, next *process.Service) {
	t.Helper()
	signal(t, holder, syscall.SIGSTOP)
	defer signal(t, holder, syscall.SIGCONT)
	l.waitForRoom(t, next)
}

// takeOverUnderLock is takeOver while the process is about to save what was typed, under
// the lock of the project's files. Meanwhile others write to the project too.
func takeOverUnderLock(t *testing.T, l *load, known names, holder, next *process.Service) {
	t.Helper()
	database := l.watch(t, known[holder])
	fast := delayDisk(t, holder, syncs, time.Minute)
	defer fast()
	defer signal(t, holder, syscall.SIGCONT)
	for stopped := false; !stopped; stopped = database.hasLock() {
		signal(t, holder, syscall.SIGCONT)
		wait(t, "the files' lock in the process", database.hasLock)
		signal(t, holder, syscall.SIGSTOP)
	}
	for _, w := range l.writers {
		before := w.last()
		wait(t, w.path.String()+" written again", func() bool { return w.last() > before })
	}
	l.waitForRoom(t, next)
}

func (l *load) waitForRoom(t *testing.T, at *process.Service) {
	t.Helper()
	wait(t, "the room in another process", func() bool {
		// It asks the suspended process first, and gives up.
		socket, err := l.who.dialWithin(patience, at)
		if err != nil {
			return false
		}
		_ = socket.CloseNow()
		return true
	})
}

// watcher observes the connections of a process in the database.
type watcher struct {
	t    *testing.T
	conn *pgx.Conn
	name string
}

func (l *load) watch(t *testing.T, name string) *watcher {
	t.Helper()
	return watch(t, l.database, name)
}

func watch(t *testing.T, database, name string) *watcher {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return &watcher{t, conn, name}
}

// hasLock reports whether the process has the lock of a record.
func (w *watcher) hasLock() (has bool) {
	w.t.Helper()
	err := w.conn.QueryRow(w.t.Context(), "SELECT EXISTS (SELECT FROM pg_locks JOIN pg_stat_activity USING (pid)"+
		" WHERE locktype = 'advisory' AND granted AND application_name = $1)", w.name).Scan(&has)
	if err != nil {
		w.t.Fatal(err)
	}
	return has
}
