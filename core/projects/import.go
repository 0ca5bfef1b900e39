package projects

import (
	"context"
	"io"

	"github.com/atelierhq/atelier/core"
)

// MaxArchiveBytes is the largest archive that Import takes, in bytes.
const MaxArchiveBytes = 64 << 20

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
	_, _, err := s.ports.Gate.Workspace(ctx, by, core.ActionProjectCreate, workspace)
	return err
}

// Import makes a project of the files of a zip archive, as Create does of those of
// a template: it has no template, and the files are its first version.
//
// A folder that holds all files is taken off their paths, as archives of a
// repository have one. Empty folders, node_modules, __MACOSX and .DS_Store are left
// out. One bad entry refuses the whole archive, and the message names it: a path
// that no project may hold has the code of core.ParsePath; a link or a device, a
// name that another entry has, in any case, an entry that is encrypted or broken,
// and contents beyond the limits (5,000 files, 256 MiB in all, MaxFileBytes a file,
// 100 times the archive from 16 MiB on) have code core.CodeValidationFailed, as has
// a name or folder of the draft that is out of bounds. An archive larger than
// MaxArchiveBytes has code core.CodePayloadTooLarge. Then nothing is left behind;
// after a crash, Sweep sees to that.
func (s *Service) Import(ctx context.Context, by core.Actor, workspace core.ID, draft ImportDraft, archive Archive) (View, error) {
	if err := s.MayCreate(ctx, by, workspace); err != nil {
		return View{}, err
	}
	plan, err := s.plan(ctx, by, workspace, Draft{Name: draft.Name, FolderID: draft.FolderID})
	if err != nil {
		return View{}, err
	}
	contents, err := readArchive(archive, int64(s.ports.MaxFileBytes))
	if err != nil {
		return View{}, err
	}
	return s.carryOut(ctx, plan, contents.source, "Import the project from a zip archive")
}
