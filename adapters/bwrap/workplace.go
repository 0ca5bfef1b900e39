package bwrap

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/atelierhq/atelier/core"
)

// workplace is the directory that tools have for one project beside its files:
//
//	node_modules/   the installed packages
//	cache/          the package manager's cache, during an installation
//	build/          a copy of the files, during a build
//	installed       the stamp: the key of the packages; it exists only while they are complete
type workplace struct{ dir string }

func (w workplace) packages() string { return filepath.Join(w.dir, "node_modules") }
func (w workplace) cache() string    { return filepath.Join(w.dir, "cache") }
func (w workplace) copy() string     { return filepath.Join(w.dir, "build") }
func (w workplace) stamp() string    { return filepath.Join(w.dir, "installed") }

// open creates the missing directories.
func (w workplace) open() error {
	return errors.Join(os.MkdirAll(w.packages(), 0o755), os.MkdirAll(w.cache(), 0o755))
}

// has reports whether the packages of a key are complete. The time of the stamp says when
// they were last used.
func (w workplace) has(key string) bool {
	content, err := os.ReadFile(w.stamp())
	if err != nil || string(content) != key {
		return false
	}
	w.touch()
	return true
}

// isComplete reports whether there are complete packages, of any key.
func (w workplace) isComplete() bool {
	_, err := os.Stat(w.stamp())
	return err == nil
}

// begin removes the stamp before the packages change. It also removes what an unfinished
// installation left.
func (w workplace) begin() error {
	err := os.Remove(w.stamp())
	if errors.Is(err, fs.ErrNotExist) {
		err = removeAll(w.packages())
	}
	return errors.Join(err, removeAll(w.cache()), w.open(), syncDirectory(w.dir))
}

// complete syncs the packages, and then writes the stamp.
func (w workplace) complete(key string) error {
	if err := errors.Join(removeAll(w.cache()), syncDisk(w.dir)); err != nil {
		return err
	}
	draft := w.stamp() + ".new"
	if err := writeSynced(draft, key); err != nil {
		return err
	}
	return errors.Join(os.Rename(draft, w.stamp()), syncDirectory(w.dir))
}

func writeSynced(name, content string) error {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(content)
	return errors.Join(err, file.Sync(), file.Close())
}

func syncDirectory(dir string) error {
	open, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(open.Sync(), open.Close())
}

// Bounds on what is copied for a build.
const (
	maxCopied     = 50_000
	maxCopiedSize = 2 << 30
)

// fill copies a project's files. It leaves out links and what the tools have created
// themselves.
func (w workplace) fill(files fs.FS) error {
	if err := errors.Join(removeAll(w.copy()), os.MkdirAll(w.copy(), 0o755)); err != nil {
		return err
	}
	root, err := os.OpenRoot(w.copy())
	if err != nil {
		return err
	}
	defer root.Close()
	count, size := 0, int64(0)
	return fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		if leftOut(name) {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if entry.IsDir() {
			return root.MkdirAll(name, 0o755)
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		n, err := copyFile(root, files, name)
		if count, size = count+1, size+n; count > maxCopied || size > maxCopiedSize {
			return core.Errorf(core.CodeValidationFailed, "the project has too many files for a build")
		}
		return err
	})
}

// leftOut names the directories and files that a build does not start with.
func leftOut(name string) bool {
	if name == ".git" {
		return true
	}
	parsed, err := core.ParsePath(name)
	return err != nil || parsed.Generated()
}

func copyFile(root *os.Root, files fs.FS, name string) (int64, error) {
	from, err := files.Open(name)
	if err != nil {
		return 0, err
	}
	defer from.Close()
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return 0, err
	}
	to, err := root.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o644)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(to, from)
	return n, errors.Join(err, to.Close())
}

// Bounds on a workplace with the project's files.
const (
	maxWorkBytes = 4 << 30
	maxWorkFiles = 400_000
)

// isTooLarge reports whether directories, with the project's files, hold more than a
// workplace may.
func isTooLarge(ctx context.Context, dirs ...string) bool {
	files, size := measure(ctx, maxWorkBytes, dirs...)
	return files > maxWorkFiles || size > maxWorkBytes
}

// touch records that the packages are in use.
func (w workplace) touch() {
	now := time.Now()
	_ = os.Chtimes(w.stamp(), now, now)
}

// isUnused reports whether the packages have been unused for too long.
func (w workplace) isUnused(long time.Duration) bool {
	used, err := os.Stat(w.stamp())
	return err == nil && time.Since(used.ModTime()) > long
}

// clear removes the copy.
func (w workplace) clear() { _ = removeAll(w.copy()) }

// remove removes everything, the stamp first.
func (w workplace) remove() error {
	err := os.Remove(w.stamp())
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, removeAll(w.dir))
}
