package scaffold

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"
)

// overlay is a file system with the files of two. If both have a file, it is the upper's.
type overlay struct{ upper, lower fs.FS }

var _ fs.ReadDirFS = overlay{}

// Open implements fs.FS. A directory that is opened lists the upper's entries only; ReadDir,
// which fs.WalkDir uses, lists all.
func (o overlay) Open(name string) (fs.File, error) {
	file, err := o.upper.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return o.lower.Open(name)
	}
	return file, err
}

// ReadDir implements fs.ReadDirFS.
func (o overlay) ReadDir(name string) ([]fs.DirEntry, error) {
	upper, err := fs.ReadDir(o.upper, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	lower, missing := fs.ReadDir(o.lower, name)
	if missing != nil && (err != nil || !errors.Is(missing, fs.ErrNotExist)) {
		return nil, missing
	}
	for _, entry := range lower {
		same := func(e fs.DirEntry) bool { return e.Name() == entry.Name() }
		if !slices.ContainsFunc(upper, same) {
			upper = append(upper, entry)
		}
	}
	slices.SortFunc(upper, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return upper, nil
}
