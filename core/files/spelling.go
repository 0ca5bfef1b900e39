package files

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// spellings refuses paths that differ from another of the project only in upper and lower case: most
// disks of Windows and macOS hold one of both, so a clone there would lose a file.
type spellings struct {
	files fs.FS
	// folders are those that were looked at, with what the changes so far make of them; removed are
	// the paths that are gone after these.
	folders map[string]*folder
	removed map[string]bool
}

// folder are the names in a folder, and each by its folded form.
type folder struct {
	names  map[string]bool
	folded map[string]string
}

func newSpellings(files fs.FS) *spellings {
	return &spellings{files: files, folders: map[string]*folder{}, removed: map[string]bool{}}
}

// admit divides changes into those that are admitted, by their indexes, and the errors of the others.
// Changes count in their order, as if each worked.
func (s *spellings) admit(changes []core.FileChange) (admitted []int, results []Result) {
	results = make([]Result, len(changes))
	for i, change := range changes {
		if results[i].Err = s.play(change); results[i].Err == nil {
			admitted = append(admitted, i)
		}
	}
	return admitted, results
}

func (s *spellings) play(change core.FileChange) error {
	if change.Op == core.OpWrite {
		return s.add(change.Path)
	}
	s.remove(change.Path)
	if change.Op == core.OpDelete {
		return nil
	}
	err := s.add(change.To)
	if err != nil {
		s.folder(path.Dir(change.Path.String())).add(change.Path.Base())
		delete(s.removed, change.Path.String())
	}
	return err
}

// add refuses a path of which a part is there in another spelling, and else counts it as there.
func (s *spellings) add(to core.ProjectPath) error {
	at := "."
	for segment := range strings.SplitSeq(to.String(), "/") {
		names := s.folder(at)
		if other := names.folded[core.FoldCase(segment)]; !names.names[segment] && other != "" && s.holdsFile(path.Join(at, other)) {
			return core.Errorf(core.CodeConflict, "%s differs from %s only in upper and lower case, and most disks of Windows and macOS hold one of both: use that spelling, or rename it", path.Join(at, segment), path.Join(at, other))
		}
		names.add(segment)
		at = path.Join(at, segment)
		delete(s.removed, at)
	}
	return nil
}

func (s *spellings) remove(at core.ProjectPath) {
	names := s.folder(path.Dir(at.String()))
	delete(names.names, at.Base())
	delete(names.folded, core.FoldCase(at.Base()))
	s.removed[at.String()] = true
}

// folder returns what is in a folder, nothing if it cannot be read.
func (s *spellings) folder(at string) *folder {
	if s.folders[at] == nil {
		found := &folder{map[string]bool{}, map[string]string{}}
		entries, _ := fs.ReadDir(s.files, at)
		for _, entry := range entries {
			if entry.IsDir() || entry.Type().IsRegular() {
				found.add(entry.Name())
			}
		}
		s.folders[at] = found
	}
	return s.folders[at]
}

func (f *folder) add(name string) { f.names[name], f.folded[core.FoldCase(name)] = true, name }

var errFound = errors.New("found")

// holdsFile reports whether a path is a file or has one below. A folder without is no part of any
// version. What an earlier change made counts as a file.
func (s *spellings) holdsFile(at string) bool {
	info, err := fs.Stat(s.files, at)
	if err != nil || !info.IsDir() {
		return true
	}
	err = fs.WalkDir(s.files, at, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case s.removed[name] && entry.IsDir():
			return fs.SkipDir
		case entry.Type().IsRegular() && !s.removed[name]:
			return errFound
		}
		return nil
	})
	return errors.Is(err, errFound)
}
