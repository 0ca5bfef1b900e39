package files

import (
	"cmp"
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

// History reads projects' versions. It takes no lock: versions never change. Its errors are those
// of vcs.Repositories.
type History struct{ repositories vcs.Repositories }

// Versions returns at most limit versions, the newest first, starting behind the
// version before ("" for the start).
func (h History) Versions(ctx context.Context, project core.ID, before string, limit int) ([]core.Version, error) {
	return h.repositories.Log(ctx, project, before, limit)
}

// Changes returns a version and what it changed.
func (h History) Changes(ctx context.Context, project core.ID, version string) (core.Version, []vcs.Change, error) {
	return h.repositories.Changes(ctx, project, version)
}

// Differences returns a version and the files in which it differs from the one before.
func (h History) Differences(ctx context.Context, project core.ID, version string) (core.Version, []vcs.Difference, error) {
	shown, err := h.repositories.Version(ctx, project, version)
	if err != nil {
		return core.Version{}, nil, err
	}
	before, err := h.repositories.Log(ctx, project, shown.ID, 1)
	if err != nil {
		return core.Version{}, nil, err
	}
	parent := ""
	if len(before) > 0 {
		parent = before[0].ID
	}
	differences, err := h.repositories.Compare(ctx, project, parent, shown.ID)
	return shown, differences, err
}

// Version returns a version.
func (h History) Version(ctx context.Context, project core.ID, version string) (core.Version, error) {
	return h.repositories.Version(ctx, project, version)
}

// Compare returns the files in which version to differs from version from.
func (h History) Compare(ctx context.Context, project core.ID, from, to string) ([]vcs.Difference, error) {
	return h.repositories.Compare(ctx, project, from, to)
}

// Holds reports whether a file of a version has this content.
func (h History) Holds(blob vcs.Blob, content []byte) bool {
	return h.repositories.Holds(blob, content)
}

// Content returns the content of a file in a version.
func (h History) Content(ctx context.Context, project core.ID, blob vcs.Blob, limit int64) ([]byte, error) {
	return h.repositories.Content(ctx, project, blob, limit)
}

// ProjectFile is a file that belongs to a project.
type ProjectFile struct {
	Path core.ProjectPath
	// Size is in bytes, -1 if it is not known yet.
	Size int64
	// Blob locates the content in a version, for a file that may be missing on the
	// disk; it is nil for one that is there.
	Blob *vcs.Blob
}

// FilesAt returns all files of a version by path.
func (h History) FilesAt(ctx context.Context, project core.ID, version string) ([]ProjectFile, error) {
	differences, err := h.repositories.Compare(ctx, project, "", version)
	if err != nil {
		return nil, err
	}
	files := make([]ProjectFile, 0, len(differences))
	for _, difference := range differences {
		files = append(files, ProjectFile{Path: difference.Path, Size: -1, Blob: difference.After})
	}
	slices.SortFunc(files, compareFiles)
	return files, nil
}

func compareFiles(a, b ProjectFile) int { return cmp.Compare(a.Path.String(), b.Path.String()) }
