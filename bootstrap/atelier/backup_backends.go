package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/atelierhq/atelier/adapters/bunstore"
)

// backendsDir is the folder of the data of projects' backends below the data directory.
const backendsDir = "backends"

// addBackends adds the data of projects' backends: each database as of one moment, and
// their files and snapshots afterwards. A file that is deleted meanwhile may be missing.
func (c *command) addBackends(a *archive) error {
	if !c.settings.Exclusive() {
		c.log.Warn("the data of applications is not in the archive: keep a snapshot of the file system with it", "folder", c.settings.BackendsDir)
		return nil
	}
	root := filepath.Join(c.settings.DataDir, backendsDir)
	folder, err := os.MkdirTemp(c.settings.DataDir, ".backup-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || a.ctx.Err() != nil {
			return errors.Join(err, a.ctx.Err())
		}
		below, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir() && isScratch(entry.Name()):
			return fs.SkipDir
		case isDatabase(below):
			return a.addCopy(path, filepath.Join(folder, "copy.db"), filepath.Join(backendsDir, below))
		case isJournal(entry.Name()):
			return nil // the copy has what it holds
		}
		err = a.add(path, filepath.Join(backendsDir, below))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// addCopy adds a copy of a database as of one moment.
func (a *archive) addCopy(database, temporary, name string) error {
	if err := bunstore.CopySQLite(a.ctx, "sqlite://"+database, temporary); err != nil {
		if _, gone := os.Stat(database); errors.Is(gone, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	return errors.Join(a.add(temporary, name), os.Remove(temporary))
}

// isDatabase reports whether a path below the folder of backends is a database in use:
// <project>/<environment>/data/*.db. Those of snapshots do not change.
func isDatabase(below string) bool {
	parts := strings.Split(filepath.ToSlash(below), "/")
	return len(parts) == 4 && parts[2] == "data" && strings.HasSuffix(parts[3], ".db")
}

// isJournal reports whether a file belongs to an open database.
func isJournal(name string) bool {
	return strings.HasSuffix(name, ".db-wal") || strings.HasSuffix(name, ".db-shm") || strings.HasSuffix(name, ".db-journal")
}

// isScratch reports whether a folder holds nothing of the data: copies that are attacked,
// what is being made, and temporary files.
func isScratch(name string) bool {
	return name == "copies" || name == "tmp" || strings.HasSuffix(name, ".new")
}
