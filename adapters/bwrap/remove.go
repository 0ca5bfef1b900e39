package bwrap

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// removeAll is os.RemoveAll for directories whose permissions tools have removed, which
// would stop everyone but root.
func removeAll(dir string) error {
	err := os.RemoveAll(dir)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	root, err := os.OpenRoot(filepath.Dir(dir))
	if err != nil {
		return err
	}
	defer root.Close()
	if err := allow(root, filepath.Base(dir)); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// allow restores the permissions of a directory and everything below it.
func allow(root *os.Root, dir string) error {
	if err := root.Chmod(dir, 0o700); err != nil {
		return err
	}
	entries, err := fs.ReadDir(root.FS(), dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		if err := allow(root, path.Join(dir, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}
