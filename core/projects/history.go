package projects

import (
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
)

// maxLookedAt is how many versions one page of a file's history searches.
const maxLookedAt = 200

// History has the versions of projects, for readers.
type History struct{ deps *Deps }

// Versions returns at most limit versions of a project, the newest first, starting
// after the version before ("" for the newest).
func (h *History) Versions(ctx context.Context, by core.Actor, id core.ID, before string, limit int) ([]core.Version, error) {
	if _, err := h.deps.Gate.Project(ctx, by, core.ActionVersionRead, id); err != nil {
		return nil, err
	}
	return h.deps.Files.Versions(ctx, id, before, limit)
}

// HistoryOf returns at most limit versions that changed the file at path, or one below
// it, the newest first. It starts after the version before ("" for the newest). next is
// the version to continue after, "" at the end. A page searches a bounded number of
// versions, so it may be short or even empty without being the last.
func (h *History) HistoryOf(ctx context.Context, by core.Actor, at core.FileAt, before string, limit int) (found []core.Version, next string, err error) {
	if _, err := h.deps.Gate.Project(ctx, by, core.ActionVersionRead, at.Project); err != nil {
		return nil, "", err
	}
	looked, err := h.deps.Files.Versions(ctx, at.Project, before, maxLookedAt+1)
	if err != nil {
		return nil, "", err
	}
	for i, version := range looked {
		if i == maxLookedAt || len(found) == limit {
			return found, looked[i-1].ID, nil
		}
		_, differences, err := h.deps.Files.Differences(ctx, at.Project, version.ID)
		if err != nil && !core.IsCode(err, core.CodePayloadTooLarge) {
			return nil, "", err
		}
		// A version with too many changes to list may have changed this file.
		changed := err != nil
		for _, difference := range differences {
			changed = changed || at.Path.Contains(difference.Path)
		}
		if changed {
			found = append(found, version)
		}
	}
	return found, "", nil
}

// FileAt is a file in a version.
type FileAt struct {
	Content []byte
	ETag    string
	// At is the time of the version.
	At core.Time
}

// ReadAt returns the file at a path in a version. It returns core.CodeNotFound if there
// is no such version or file, and core.CodePayloadTooLarge if the file is larger than the
// current limit.
func (h *History) ReadAt(ctx context.Context, by core.Actor, at core.FileAt, version string) (FileAt, error) {
	if _, err := h.deps.Gate.Project(ctx, by, core.ActionVersionRead, at.Project); err != nil {
		return FileAt{}, err
	}
	shown, err := h.deps.Files.Version(ctx, at.Project, version)
	if err != nil {
		return FileAt{}, err
	}
	kept, err := h.deps.Files.FilesAt(ctx, at.Project, shown.ID)
	if err != nil {
		return FileAt{}, err
	}
	i := slices.IndexFunc(kept, func(file files.ProjectFile) bool { return file.Path == at.Path })
	if i < 0 {
		return FileAt{}, core.NotFound("file in this version")
	}
	content, err := h.deps.Files.Content(ctx, at.Project, *kept[i].Blob, int64(h.deps.MaxFileBytes))
	return FileAt{Content: content, ETag: files.ETag(content), At: shown.CreatedAt}, err
}
