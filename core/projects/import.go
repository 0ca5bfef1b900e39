package projects

import (
	"context"
	"io"

	"github.com/atelierhq/atelier/core"
)

// MaxArchiveBytes is the largest archive that Import accepts, in bytes: all contents uncompressed,
// plus directory and headers.
const MaxArchiveBytes = maxUnpackedBytes + 3*maxDirectoryBytes

// ImportDraft describes a project to import. FolderID is nil for the root.
type ImportDraft struct {
	Name     string
	FolderID *core.ID
}

// Archive is a zip file, of Size bytes.
type Archive struct {
	io.ReaderAt
	Size int64
}

// MayCreate returns nil if the caller may make projects in the workspace. Create and Import check
// that themselves; this is for a caller that has a large request to receive first.
func (c *Creations) MayCreate(ctx context.Context, by core.Actor, workspace core.ID) error {
	_, _, err := c.deps.Gate.Workspace(ctx, by, core.ActionProjectCreate, workspace)
	return err
}

// Import makes a project from the files of a zip archive, like Create, but without a template: the
// files are its first version.
//
// An archive of Export is taken unchanged, without data. From any other, a folder that holds all
// files is removed from their paths, as archives of repositories have one, and so is the folder of a
// monorepo's only application; what the project lacks is in the notes. Empty folders, node_modules, __MACOSX and
// .DS_Store are left out. A repository, .git, is left out with a note. Decomposed names, as macOS
// writes them, are composed.
//
// One bad entry refuses the whole archive, and the message names it. An invalid path has the code
// of core.ParsePath. The code is core.CodeValidationFailed for a link or a device, a duplicate
// name, an encrypted or broken entry, and contents beyond the limits: 50,000 files, 512 MiB in all,
// MaxFileBytes a file, 100 times the archive from 16 MiB on. A name or folder of the draft that is
// out of bounds has the same code. An archive larger than MaxArchiveBytes has code
// core.CodePayloadTooLarge. After an error nothing is left; after a crash, Sweep cleans up.
func (c *Creations) Import(ctx context.Context, by core.Actor, workspace core.ID, draft ImportDraft, archive Archive) (ImportResult, error) {
	if err := c.MayCreate(ctx, by, workspace); err != nil {
		return ImportResult{}, err
	}
	plan, err := c.plan(ctx, by, workspace, Draft{Name: draft.Name, FolderID: draft.FolderID})
	if err != nil {
		return ImportResult{}, err
	}
	chosen, err := readArchive(archive, int64(c.deps.MaxFileBytes))
	if err != nil {
		return ImportResult{}, err
	}
	view, err := c.carryOut(ctx, plan, chosen.files.source, "Import the project from a zip archive")
	return ImportResult{View: view, Notes: chosen.notes()}, err
}

// ImportResult is a project that was made from an archive.
type ImportResult struct {
	View
	// Notes say what was left out that the importer may miss, what was moved, and what the project
	// lacks to run as it did; nil for nothing.
	Notes []core.Phrase `json:"-"`
}
