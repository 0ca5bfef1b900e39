package pocketbase

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/internal/durable"
)

// sizes returns the bytes of the database in a data directory, and those of the files in stored.
func sizes(dir, stored string) (database, files int64, err error) {
	database, err = sizeOf(dir, func(path string) bool { return filepath.Base(path) != storageDir })
	if err != nil {
		return 0, 0, err
	}
	files, err = sizeOf(stored, func(string) bool { return true })
	return database, files, err
}

// storageDir is PocketBase's directory of files.
const storageDir = "storage"

// sizeOf adds up the files below a directory, without the directories that enter rejects.
func sizeOf(dir string, enter func(path string) bool) (int64, error) {
	var size int64
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // removed meanwhile
		case err != nil:
			return err
		case entry.IsDir() && !enter(path):
			return filepath.SkipDir
		case entry.IsDir():
			return nil
		}
		info, err := entry.Info()
		if err == nil {
			size += info.Size()
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
	return size, err
}

// linkFiles copies a tree of files with hard links. PocketBase never changes a file under its name.
func linkFiles(from, to string) error {
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(to, below), 0o700)
		case entry.Type().IsRegular():
			return os.Link(path, filepath.Join(to, below))
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil // no file was ever uploaded
	}
	return err
}

// syncTree syncs the directories of a tree and the files at its top.
func syncTree(root string) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() && filepath.Dir(path) != root {
			return err
		}
		return durable.SyncDir(path)
	})
}

// exchange swaps two directories. If the second does not exist, the first is renamed.
func exchange(fresh, present string) error {
	err := unix.Renameat2(unix.AT_FDCWD, fresh, unix.AT_FDCWD, present, unix.RENAME_EXCHANGE)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.Rename(fresh, present)
	}
	return errors.Join(err, durable.SyncDir(filepath.Dir(present)))
}

func copyFile(from, to string) error {
	content, err := os.Open(from)
	if err != nil {
		return err
	}
	defer content.Close()
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.ReadFrom(content)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}
