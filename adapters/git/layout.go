package git

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
)

// asideDir is this package's folder in a repository.
const asideDir = "atelier"

// config is the whole configuration of a new repository. core.fsync makes the stock git
// client sync as this package does.
const config = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = false
	fsync = objects,reference,index
`

const mainRef = "refs/heads/main"

// indexName is the name of the index in the repository.
const indexName = "index"

// makeRepository creates an empty repository, or completes one that a crash left
// unfinished. It writes HEAD last, and without HEAD there is no repository.
func makeRepository(dir string) error {
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
	if err := placeFile(filepath.Join(dir, asideDir, lockName), lockNote); err != nil {
		return err
	}
	failed := make([]error, len(folders))
	durable.InParallel(len(folders), func(i int) { failed[i] = durable.SyncDir(folders[i]) })
	if err := errors.Join(failed...); err != nil {
		return err
	}
	if err := placeFile(head, "ref: "+mainRef+"\n"); err != nil {
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
