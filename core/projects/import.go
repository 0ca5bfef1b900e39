package projects

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
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
// monorepo's only application; what the project lacks is in the notes. Empty folders, node_modules and
// what operating systems leave behind are left out. A repository, .git, is left out with a note. So is
// what no project can hold: names that core.ParsePath refuses as invalid, devices, and links,
// but for those to a file of the archive, which become copies of it.
//
// Decomposed names, as macOS writes them, are composed. Backslashes separate folders, and names that
// are neither UTF-8 nor marked as such are read as code page 437: so do programs of Windows pack.
//
// An entry that nobody packs by accident refuses the whole archive, and the message names it. The code is
// core.CodePathTraversal for a path that leads out, core.CodeInvalidPath for another spelling of
// .git, and core.CodeValidationFailed for a duplicate name, an encrypted or broken entry, and
// contents beyond the limits: 50,000 files, 512 MiB in all, MaxFileBytes a file, 100 times the
// archive from 16 MiB on. A name or folder of the draft that is out of bounds has the same code. An
// archive larger than MaxArchiveBytes has code core.CodePayloadTooLarge. After an error nothing is
// left; after a crash, Sweep cleans up.
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
	var pointers pointers
	view, err := c.carryOut(ctx, plan, pointers.within(chosen.files.source), "Import the project from a zip archive")
	return ImportResult{View: view, Notes: append(chosen.notes(), pointers.notes()...)}, err
}

// ImportResult is a project that was made from an archive or a repository.
type ImportResult struct {
	View
	// Notes say what was left out that the importer may miss, what was moved, and what the project
	// lacks to run as it did; nil for nothing.
	Notes []core.Phrase `json:"-"`
}

// notes returns what was left out that the importer may miss, and what was arranged.
func (s *selection) notes() []core.Phrase {
	if s.withData {
		return []core.Phrase{core.Phrasef("The data in %s were left out: the project begins without records. Import them into its collections as CSV or JSON.", dataPrefix)}
	}
	var notes []core.Phrase
	if s.hasRepository {
		notes = append(notes, core.Phrasef("The archive's .git was left out: the project has its own repository. To import the history too, import from the repository's address, or push."))
	}
	return slices.Concat(notes, told(s.omitted), s.arranged)
}

// told says what an import could not take as it was.
func told(omitted core.Omissions) []core.Phrase {
	var quoted []string
	for _, name := range omitted.Names[:min(len(omitted.Names), maxListed+2)] {
		quoted = append(quoted, fmt.Sprintf("%.100q", name))
	}
	var notes []core.Phrase
	for _, about := range []struct {
		names []string
		note  core.Phrase
	}{
		{quoted, core.Phrasef("These files were left out, because their names are not valid on every system: %s. Rename them, and upload them to the project", listed(quoted))},
		{omitted.Links, core.Phrasef("These links were left out, because they do not lead to a file that came along: %s", listed(omitted.Links))},
		{omitted.Copies, core.Phrasef("These links are copies now of the files to which they led: %s", listed(omitted.Copies))},
		{omitted.Submodules, core.Phrasef("These submodules were left out, because they are repositories of their own: %s. Upload their files if the project needs them", listed(omitted.Submodules))},
		{omitted.Large, core.Phrasef("These files were left out, because they are larger than a project's files may be: %s", listed(omitted.Large))},
		{omitted.Spellings, core.Phrasef("These files were left out, because they differ from others only in upper and lower case, which most disks of Windows and macOS cannot hold: %s", listed(omitted.Spellings))},
		{omitted.Devices, core.Phrasef("These entries were left out, because they are devices, not files: %s", listed(omitted.Devices))},
	} {
		if len(about.names) > 0 {
			notes = append(notes, about.note)
		}
	}
	return notes
}

// pointers are the paths of files that came as pointers of Git LFS.
type pointers struct{ paths []string }

// within is a source that looks for pointers.
func (p *pointers) within(source files.Source) files.Source {
	return func(ctx context.Context, add func(core.ProjectPath, []byte) error) error {
		return source(ctx, func(path core.ProjectPath, content []byte) error {
			p.look(path, content)
			return add(path, content)
		})
	}
}

func (p *pointers) look(path core.ProjectPath, content []byte) {
	if core.IsLFSPointer(content) {
		p.paths = append(p.paths, path.String())
	}
}

func (p *pointers) notes() []core.Phrase {
	if len(p.paths) == 0 {
		return nil
	}
	return []core.Phrase{core.Phrasef("The contents of these files did not come along, only their pointers of Git LFS: %s. Fetch them with git lfs pull, and upload them to the project", listed(p.paths))}
}
