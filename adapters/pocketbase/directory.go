package pocketbase

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pocketbase/dbx"

	"github.com/atelierhq/atelier/adapters/internal/walship"
	"github.com/atelierhq/atelier/core"
)

// directory is where a place is on the disk.
type directory struct {
	// root has the data, the snapshots, and the note of a switch.
	root string
	// work has the open database if root is shared by several machines; otherwise it is empty.
	work string
	// held is the part of root whose name changes when another process takes the project over.
	held string
}

// isHeld returns core.CodeUnavailable if another process has taken the project over.
func (d directory) isHeld() error {
	if d.held == "" {
		return nil
	}
	_, err := os.Stat(d.held)
	if errors.Is(err, fs.ErrNotExist) {
		return notHeld()
	}
	return faultOf(err)
}

// data returns the directory of durable data: PocketBase's directory (pb_data), without the
// files in work.
func (d directory) data() string { return filepath.Join(d.root, "data") }

// live returns the directory of the open database.
func (d directory) live() string {
	if d.work == "" {
		return d.data()
	}
	return filepath.Join(d.work, "data")
}

// scratch creates a directory for data that are not whole yet. The next engine removes it if this one
// is killed.
func (d directory) scratch() (string, error) {
	parent := filepath.Join(filepath.Dir(d.root), copiesDir)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", faultOf(err)
	}
	made, err := os.MkdirTemp(parent, "partial-")
	return made, faultOf(err)
}

// files returns the directory of records' files.
func (d directory) files() string { return filepath.Join(d.data(), storageDir) }

// exists returns core.CodeNotFound if the place has never had a schema.
func (d directory) exists() error {
	_, err := os.Stat(filepath.Join(d.data(), "data.db"))
	if errors.Is(err, fs.ErrNotExist) {
		return core.NotFound("backend")
	}
	return faultOf(err)
}

// remove deletes all data of the place.
func (d directory) remove() error {
	err := os.RemoveAll(d.root)
	if d.work != "" {
		err = errors.Join(err, os.RemoveAll(d.work))
	}
	return faultOf(err)
}

// snapshot returns the directory of a snapshot.
func (d directory) snapshot(id core.ID) (string, error) {
	if _, err := core.ParseID(string(id)); err != nil {
		return "", core.NotFound("snapshot")
	}
	return filepath.Join(d.root, "snapshots", string(id)), nil
}

// replaceBy replaces the data by a copy of a directory. The caller has closed the place.
func (d directory) replaceBy(from string) error {
	fresh := d.data() + ".new"
	err := errors.Join(os.RemoveAll(fresh), os.MkdirAll(fresh, 0o700))
	if err == nil {
		err = copyFile(filepath.Join(from, "data.db"), filepath.Join(fresh, "data.db"))
	}
	if err == nil {
		err = linkFiles(filepath.Join(from, storageDir), filepath.Join(fresh, storageDir))
	}
	if err == nil {
		err = syncTree(fresh)
	}
	if err == nil {
		err = exchange(fresh, d.data())
	}
	return faultOf(errors.Join(err, os.RemoveAll(fresh)))
}

// startSet opens the application of a place. It fetches the database first if the data is shared.
func startSet(s *dataSet) (*application, error) {
	if s.dir.work == "" {
		return start(s.place, s.dir.data(), s.dir.data(), *s.config)
	}
	log, err := s.dir.fetch()
	if err != nil {
		return nil, err
	}
	app, err := start(s.place, s.dir.live(), s.dir.data(), *s.config)
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	app.log = log
	if err := app.hold(); err != nil {
		return nil, errors.Join(err, app.stop())
	}
	return app, nil
}

// fetch creates the directory of the open database, unless that is still as it was closed.
func (d directory) fetch() (*walship.Log, error) {
	if log := walship.Resume(d.data(), filepath.Join(d.live(), "data.db")); log != nil {
		return log, nil
	}
	if err := errors.Join(os.RemoveAll(d.live()), os.MkdirAll(d.live(), 0o700)); err != nil {
		return nil, err
	}
	return walship.Open(d.data(), filepath.Join(d.live(), "data.db"))
}

// publish moves a new, closed database to the data of a directory.
func publish(from, to string) error {
	err := copyFile(filepath.Join(from, "data.db"), filepath.Join(to, "data.db"))
	if _, missing := os.Stat(filepath.Join(from, "data.db-wal")); err == nil && missing == nil {
		err = copyFile(filepath.Join(from, "data.db-wal"), filepath.Join(to, "data.db-wal"))
	}
	if err == nil {
		err = syncTree(to)
	}
	// PocketBase may still be removing files in it; the next start removes the rest.
	_ = os.RemoveAll(from)
	return err
}

// hold opens the connection that prevents SQLite from making a checkpoint when it closes
// its last one.
func (a *application) hold() (err error) {
	pool, is := a.ConcurrentDB().(*dbx.DB)
	if !is {
		return errors.New("PocketBase has another kind of database")
	}
	if a.pin, err = pool.DB().Conn(context.Background()); err != nil {
		return err
	}
	var version int
	return a.pin.QueryRowContext(context.Background(), "PRAGMA schema_version").Scan(&version)
}

// pools returns the connections to the database.
func (a *application) pools() []*sql.DB {
	var found []*sql.DB
	for _, builder := range []dbx.Builder{a.ConcurrentDB(), a.NonconcurrentDB()} {
		if pool, is := builder.(*dbx.DB); is {
			found = append(found, pool.DB())
		}
	}
	return found
}

// inUse counts the connections of closed pools that somebody still has.
func inUse(pools []*sql.DB) int {
	count := 0
	for _, pool := range pools {
		count += pool.Stats().InUse
	}
	return count
}

// finish leaves the database as it is shipped, so that it need not be copied to be opened again.
// Nobody but the pin is connected. It is copied if this fails.
func (a *application) finish() {
	_ = a.log.Finish(func() error {
		_, err := a.pin.ExecContext(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)")
		return err
	})
}

// ship makes the committed transactions durable.
func (a *application) ship() error {
	if a.log == nil {
		return nil
	}
	return a.log.Ship()
}

// checkpoint makes SQLite restart its log.
func (a *application) checkpoint() error {
	_, err := a.NonconcurrentDB().NewQuery("PRAGMA wal_checkpoint(TRUNCATE)").Execute()
	return err
}

// keepUp closes the place if its transactions cannot be shipped. What was not acknowledged
// is then lost, and the next use opens what was shipped. It also rotates a long log. The
// caller does not hold the gate.
func keepUp(s *dataSet, app *application) error {
	if failed := app.log.Failed(); failed != nil {
		s.gate.Lock()
		defer s.gate.Unlock()
		if s.present() == app {
			s.cut()
		}
		return notKept(failed)
	}
	if !app.log.Due() || !s.rotating.CompareAndSwap(false, true) {
		return nil
	}
	defer s.rotating.Store(false)
	s.gate.Lock()
	defer s.gate.Unlock()
	if s.present() != app {
		return nil
	}
	if err := app.log.Rotate(app.checkpoint); err != nil {
		s.cut()
		return notKept(err)
	}
	return nil
}

func notKept(cause error) error {
	return core.Wrap(core.CodeUnavailable, cause, "the data could not be written to the shared disk: try again")
}
