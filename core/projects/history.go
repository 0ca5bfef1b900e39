package projects

import (
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
)

// maxLookedAt is how many versions one page of a file's history looks at.
const maxLookedAt = 200

// HistoryOf returns at most limit versions, the newest first, in which the file at path,
// or one below it, is another than in the version before; behind the version before (""
// for the start). next is the version to go on behind, "" at the end: a page looks at a
// bounded number of versions, so it may be short, or empty, and not the last.
func (s *Service) HistoryOf(ctx context.Context, by core.Actor, at core.FileAt, before string, limit int) (found []core.Version, next string, err error) {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionVersionRead, at.Project); err != nil {
		return nil, "", err
	}
	looked, err := s.deps.Files.Versions(ctx, at.Project, before, maxLookedAt+1)
	if err != nil {
		return nil, "", err
	}
	for i, version := range looked {
		if i == maxLookedAt || len(found) == limit {
			return found, looked[i-1].ID, nil
		}
		_, differences, err := s.deps.Files.Differences(ctx, at.Project, version.ID)
		if err != nil && !core.IsCode(err, core.CodePayloadTooLarge) {
			return nil, "", err
		}
		// What changed too much to be listed may have changed this file.
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

// FileAt is a file as a version has it.
type FileAt struct {
	Content []byte
	ETag    string
	// At is when the version was made.
	At core.Time
}

// ReadAt returns the file at a path in a version. A version, or a file in it, that is not
// there has code core.CodeNotFound, a file larger than one may be by now
// core.CodePayloadTooLarge.
func (s *Service) ReadAt(ctx context.Context, by core.Actor, at core.FileAt, version string) (FileAt, error) {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionVersionRead, at.Project); err != nil {
		return FileAt{}, err
	}
	shown, err := s.deps.Files.Version(ctx, at.Project, version)
	if err != nil {
		return FileAt{}, err
	}
	kept, err := s.deps.Files.KeptAt(ctx, at.Project, shown.ID)
	if err != nil {
		return FileAt{}, err
	}
	i := slices.IndexFunc(kept, func(file files.Kept) bool { return file.Path == at.Path })
	if i < 0 {
		return FileAt{}, core.NotFound("file in this version")
	}
	content, err := s.deps.Files.Content(ctx, at.Project, *kept[i].Blob, int64(s.deps.MaxFileBytes))
	return FileAt{Content: content, ETag: files.ETag(content), At: shown.CreatedAt}, err
}
