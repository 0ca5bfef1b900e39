package projects

import (
	"context"
	"io"

	"github.com/atelierhq/atelier/core"
)

// MaxArchiveBytes is the largest archive that Import takes, in bytes: all that it may
// hold, uncompressed, and its own directory and headers.
const MaxArchiveBytes = maxUnpackedBytes + 3*maxDirectoryBytes

// ImportDraft is what a caller says about a project to import. FolderID is nil for
// the root.
type ImportDraft struct {
	Name     string
	FolderID *core.ID
}

// Archive is a zip file, of Size bytes.
type Archive struct {
	io.ReaderAt
	Size int64
}

// MayCreate returns nil when the caller may make projects in the workspace. Create
// and Import ask for themselves: this is for whoever has much to receive first.
func (s *Service) MayCreate(ctx context.Context, by core.Actor, workspace core.ID) error {
	_, _, err := s.deps.Gate.Workspace(ctx, by, core.ActionProjectCreate, workspace)
	return err
}

// Import makes a project of the files of a zip archive, as Create does of those of
// a template: it has no template, and the files are its first version.
//
// An archive that Export made is taken as it is. From any other, a folder that holds all
// files is taken off their paths, as archives of a repository have one, and empty
// folders, node_modules, __MACOSX and .DS_Store are left out. A repository, .git, is
// left out with a note, and decomposed names, as macOS writes them, are composed. One
// bad entry refuses the whole archive, and the message names it: a path that no project
// may hold has the code of core.ParsePath; a link or a device, a name that another entry
// has, an entry that is encrypted or broken, and contents beyond the limits (50,000
// files, 512 MiB in all, MaxFileBytes a file, 100 times the archive from 16 MiB on) have code core.CodeValidationFailed, as has
// a name or folder of the draft that is out of bounds. An archive larger than
// MaxArchiveBytes has code core.CodePayloadTooLarge. Then nothing is left behind;
// after a crash, Sweep sees to that.
func (s *Service) Import(ctx context.Context, by core.Actor, workspace core.ID, draft ImportDraft, archive Archive) (Imported, error) {
	if err := s.MayCreate(ctx, by, workspace); err != nil {
		return Imported{}, err
	}
	plan, err := s.plan(ctx, by, workspace, Draft{Name: draft.Name, FolderID: draft.FolderID})
	if err != nil {
		return Imported{}, err
	}
	chosen, err := readArchive(archive, int64(s.deps.MaxFileBytes))
	if err != nil {
		return Imported{}, err
	}
	view, err := s.carryOut(ctx, plan, chosen.files.source, "Import the project from a zip archive")
	return Imported{View: view, Notes: chosen.notes()}, err
}

// Imported is a project that was made of an archive.
type Imported struct {
	View
	// Notes say what was left out that somebody may miss, nil for nothing.
	Notes []string `json:"notes,omitempty"`
}
