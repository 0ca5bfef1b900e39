package projects

import (
	"strings"

	"github.com/atelierhq/atelier/core"
)

// maxNames bounds the files and folders of an archive together, because a path
// alone can name hundreds of folders.
const maxNames = 4 * maxArchiveFiles

// names are the files and folders that an archive names, by their paths in one
// case: what some file system takes for one must not be two. With a path the
// folders above it are in it.
type names map[string]named

type named struct {
	path     core.ProjectPath
	isFolder bool
	// isImplied says that only the paths of others name the folder.
	isImplied bool
}

// claim adds a path and the folders above it. The error has code
// core.CodeValidationFailed.
func (n names) claim(path core.ProjectPath, isFolder bool) error {
	next := named{path: path, isFolder: isFolder}
	for key := folded(path); !next.path.IsRoot(); key = key[:max(0, strings.LastIndexByte(key, '/'))] {
		before, taken := n[key]
		if taken {
			if err := before.admit(next); err != nil {
				return err
			}
		}
		if len(n) == maxNames {
			return core.Errorf(core.CodeValidationFailed, "with it the archive has more than %d files and folders", maxNames)
		}
		if !taken || before.isImplied {
			n[key] = next
		}
		if taken {
			return nil
		}
		next = named{path: next.path.Dir(), isFolder: true, isImplied: true}
	}
	return nil
}

// admit reports whether another entry may have the path, in one case, of this one.
func (before named) admit(next named) error {
	switch {
	case before.path != next.path:
		return core.Errorf(core.CodeValidationFailed, "%.200q differs from %.200q in case alone", next.path, before.path)
	case before.isFolder != next.isFolder:
		return core.Errorf(core.CodeValidationFailed, "%.200q is a file and a folder", next.path)
	case !before.isImplied && !next.isImplied:
		return core.Errorf(core.CodeValidationFailed, "%.200q is there twice", next.path)
	}
	return nil
}

// folded is a path in one case. The way over upper case makes one of letters that
// have several lower-case forms.
func folded(path core.ProjectPath) string { return strings.ToLower(strings.ToUpper(path.String())) }
