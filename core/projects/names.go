package projects

import "github.com/atelierhq/atelier/core"

// maxNames bounds the files and folders of an archive together, because a path
// alone can name hundreds of folders.
const maxNames = 4 * maxArchiveFiles

// names are the files and folders that an archive names, including the parent folders
// of each path.
type names map[core.ProjectPath]namedFile

type namedFile struct {
	isFolder bool
	// isImplied says that the folder is only named as a parent of others.
	isImplied bool
}

// claim adds a path and the folders above it. The error has code
// core.CodeValidationFailed.
func (n names) claim(path core.ProjectPath, isFolder bool) error {
	next := namedFile{isFolder: isFolder}
	for ; !path.IsRoot(); path = path.Dir() {
		before, taken := n[path]
		if taken {
			if err := before.admit(path, next); err != nil {
				return err
			}
		}
		if len(n) == maxNames {
			return core.Errorf(core.CodeValidationFailed, "with this entry the archive has more than %d files and folders", maxNames)
		}
		if !taken || before.isImplied {
			n[path] = next
		}
		if taken {
			return nil
		}
		next = namedFile{isFolder: true, isImplied: true}
	}
	return nil
}

// admit reports whether another entry may have the path of this one.
func (before namedFile) admit(path core.ProjectPath, next namedFile) error {
	switch {
	case before.isFolder != next.isFolder:
		return core.Errorf(core.CodeValidationFailed, "%.200q is a file and a folder", path)
	case !before.isImplied && !next.isImplied:
		return core.Errorf(core.CodeValidationFailed, "%.200q occurs twice", path)
	}
	return nil
}
