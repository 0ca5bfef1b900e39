package pocketbase

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/atelierhq/atelier/core"
)

// directory is where a place is on the disk: its data, its snapshots, and the note of a switch.
type directory string

// data is PocketBase's own directory (pb_data).
func (d directory) data() string { return filepath.Join(string(d), "data") }

// exists returns core.CodeNotFound for a place that was never given a schema.
func (d directory) exists() error {
	_, err := os.Stat(filepath.Join(d.data(), "data.db"))
	if errors.Is(err, fs.ErrNotExist) {
		return core.NotFound("backend")
	}
	return faultOf(err)
}

// remove deletes all of the place.
func (d directory) remove() error { return faultOf(os.RemoveAll(string(d))) }

// snapshot returns the directory of a snapshot.
func (d directory) snapshot(id core.ID) (string, error) {
	if _, err := core.ParseID(string(id)); err != nil {
		return "", core.NotFound("snapshot")
	}
	return filepath.Join(string(d), "snapshots", string(id)), nil
}

// replaceBy makes the data a copy of a directory. The caller has closed the place.
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
