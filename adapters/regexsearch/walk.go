package regexsearch

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// batchFiles is how many files make a batch: enough that the overhead of a batch does not
// matter, few enough that all processors have work.
const batchFiles = 32

// walker collects the files of a project in the order of their paths.
type walker struct {
	job   *job
	batch []core.ProjectPath
}

func (j *job) walk() {
	defer close(j.batches)
	w := &walker{job: j}
	err := w.directory(".")
	if err == nil {
		err = w.flush()
	}
	if err != nil {
		j.fail(err)
	}
}

func (w *walker) directory(name string) error {
	entries, err := fs.ReadDir(w.job.files, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return core.Wrap(core.CodeUnavailable, err, "the project's files cannot be read")
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(sortKey(a), sortKey(b)) })
	for _, entry := range entries {
		path, err := core.ParsePath(strings.TrimPrefix(name+"/"+entry.Name(), "./"))
		if err != nil || path.Generated() {
			continue
		}
		switch {
		case entry.IsDir():
			err = w.directory(path.String())
		case entry.Type().IsRegular():
			err = w.file(path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sortKey makes a directory sort where the paths of its files do.
func sortKey(entry fs.DirEntry) string {
	if entry.IsDir() {
		return entry.Name() + "/"
	}
	return entry.Name()
}

func (w *walker) file(path core.ProjectPath) error {
	w.batch = append(w.batch, path)
	if len(w.batch) < batchFiles {
		return nil
	}
	return w.flush()
}

func (w *walker) flush() error {
	if len(w.batch) == 0 {
		return nil
	}
	paths := w.batch
	w.batch = make([]core.ProjectPath, 0, batchFiles)
	return w.job.start(paths)
}
