// Package gitdir is the directory of a repository: its layout, the locks of git, and how
// files get into it durably. Only the value of a lock can replace what the lock is for, the
// index or the head.
package gitdir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/atelierhq/atelier/adapters/git/index"
	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
)

// asideDir is the adapter's own folder in a repository.
const asideDir = "atelier"

// config is the whole configuration of a new repository. core.fsync makes the stock git
// client sync as this package does.
const config = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = false
	fsync = objects,reference,index
`

// MainRef is the branch of a project.
const MainRef = "refs/heads/main"

// indexName is the name of the index in the repository.
const indexName = "index"

// Make creates an empty repository, or completes one that a crash left
// unfinished. It writes HEAD last, and without HEAD there is no repository.
func Make(dir string) error {
	head := filepath.Join(dir, "HEAD")
	if _, err := os.Lstat(head); err == nil {
		return nil
	}
	folders := []string{
		dir, filepath.Join(dir, "objects"), filepath.Join(dir, "objects", "info"), filepath.Join(dir, "objects", "pack"),
		filepath.Join(dir, "refs"), filepath.Join(dir, "refs", "heads"), filepath.Join(dir, "refs", "tags"), filepath.Join(dir, asideDir),
	}
	for _, folder := range folders {
		if err := os.Mkdir(folder, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	if err := placeFile(filepath.Join(dir, "config"), config); err != nil {
		return err
	}
	if err := placeFile(filepath.Join(dir, asideDir, LockFile), lockNote); err != nil {
		return err
	}
	failed := make([]error, len(folders))
	durable.InParallel(len(folders), func(i int) { failed[i] = durable.SyncDir(folders[i]) })
	if err := errors.Join(failed...); err != nil {
		return err
	}
	if err := placeFile(head, "ref: "+MainRef+"\n"); err != nil {
		return err
	}
	return errors.Join(durable.SyncDir(dir), durable.SyncDir(filepath.Dir(dir)))
}

// placeFile creates a synced file in one step, in a repository that nobody else uses yet.
func placeFile(path, content string) error {
	temp := path + "." + string(core.NewID())
	if err := durable.WriteFile(temp, []byte(content), 0o644); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return os.Rename(temp, path)
}

// Dir is the directory of a repository, for the duration of a call.
type Dir struct {
	path  string
	check func() error
}

// Open returns the directory at path. check reports, before each step that others can see,
// whether the caller has lost the project's lock.
func Open(path string, check func() error) Dir { return Dir{path, check} }

// Path returns a path in the repository.
func (d Dir) Path(parts ...string) string {
	return filepath.Join(append([]string{d.path}, parts...)...)
}

// Aside returns a path in the adapter's own folder.
func (d Dir) Aside(parts ...string) string {
	return d.Path(append([]string{asideDir}, parts...)...)
}

// MakeAside completes a repository that the stock git client made, which has no such
// folder.
func (d Dir) MakeAside() error {
	if err := os.Mkdir(d.Aside(), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return os.WriteFile(d.Aside(LockFile), []byte(lockNote), 0o644)
}

// Check returns an error if the caller has lost the project's lock.
func (d Dir) Check() error { return d.check() }

// Index reads the index. Before the first version the file may be missing.
func (d Dir) Index() (*index.File, error) {
	staged, err := index.Read(d.Path(indexName))
	if !errors.Is(err, fs.ErrNotExist) {
		return staged, err
	}
	if head, err := d.Head(); err != nil || head.Commit.IsZero() {
		return index.New(), err
	}
	return nil, index.Unreadable("it is missing")
}

// RemoveNote durably removes a note from the adapter's own folder.
func (d Dir) RemoveNote(name string) error {
	if err := d.check(); err != nil {
		return err
	}
	if err := Remove(d.Aside(name)); err != nil {
		return err
	}
	return durable.SyncDir(d.Aside())
}

// Remove removes a file, unless it is gone already.
func Remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
