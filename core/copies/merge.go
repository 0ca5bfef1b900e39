package copies

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/vcs"
)

// MergeRequest says what Merge brings where.
type MergeRequest struct {
	// Copy is the working copy, Base its version without its own changes, Work the one with them.
	Copy       core.ID
	Base, Work string
	// Project gets the changes as the version that Commit describes.
	Project core.ID
	Commit  vcs.Commit
	// Into commits in the name of the caller.
	Into files.Committer
	// Onto is a version of the copy that the project must still equal, "" for none.
	Onto string
	// Resumed says that an earlier attempt may have got as far as the files.
	Resumed bool
	// Check is called under the project's lock. Its error is returned unchanged.
	Check func(ctx context.Context) error
}

// ErrMoved says that a project has changed since a version of its copy.
var ErrMoved = errors.New("the project has changed meanwhile")

// Merge brings the changes of a copy into its project, as one version. The second result is false
// if the project has them already. What people have staged in the project counts as the project's,
// and becomes a version of theirs first.
//
// It returns ErrMoved and changes nothing if the project no longer equals Onto.
//
// With conflicts it changes nothing and returns core.CodeConflict; Error.Conflicts has the files.
// Other errors are those of files.Committer.Revise, and core.CodePayloadTooLarge.
func (s *Service) Merge(ctx context.Context, m MergeRequest) (core.Version, bool, error) {
	from := &fileVersions{service: s, project: m.Copy, left: maxBytes}
	changed, err := from.between(ctx, m.Base, m.Work)
	if err != nil {
		return core.Version{}, false, err
	}
	var onto []files.ProjectFile
	if m.Onto != "" {
		if onto, err = s.files.FilesAt(ctx, m.Copy, m.Onto); err != nil {
			return core.Version{}, false, err
		}
	}
	return m.Into.Revise(ctx, m.Project, func(ctx context.Context, now files.Snapshot) (files.Revision, error) {
		if err := m.Check(ctx); err != nil {
			return files.Revision{}, err
		}
		if m.Onto != "" {
			moved, err := s.differing(ctx, now, m.Project, onto, from)
			if err != nil {
				return files.Revision{}, err
			}
			if len(moved) > 0 {
				return files.Revision{}, ErrMoved
			}
		}
		changes, err := planMerge(ctx, now, from, changed)
		revision := files.Revision{Changes: changes, Commit: m.Commit}
		if m.Resumed {
			revision.Begun = sorted(changed)
		}
		return revision, err
	})
}

// planMerge returns the changes of a project that take up those of a copy.
func planMerge(ctx context.Context, now files.Snapshot, held *fileVersions, changed map[core.ProjectPath]sides) ([]core.FileChange, error) {
	wanted := map[core.ProjectPath]core.FileChange{}
	var conflicts []core.MergeConflict
	conflict := func(path core.ProjectPath, why string) {
		conflicts = append(conflicts, core.MergeConflict{Path: path.String(), Message: why})
	}
	for _, path := range sorted(changed) {
		file := changed[path]
		var err error
		if file.project, err = present(ctx, now, path, file.base); err != nil {
			return nil, err
		}
		if file.project != nil {
			if err := held.take(file.project.data); err != nil {
				return nil, err
			}
		}
		result, why := file.merged()
		switch {
		case why != "":
			conflict(path, why)
		case hasNewMarkers(file):
			conflict(path, "still has conflict markers")
		case result.equal(file.project):
		default:
			wanted[path] = result.change(path, file.project)
		}
	}
	for path, change := range wanted {
		if change.Op == core.OpDelete || changed[path].base != nil {
			continue
		}
		free, err := vacant(ctx, now, path, wanted)
		if err != nil {
			return nil, err
		}
		if !free {
			conflict(path, "is new in the copy, and something else has its place in the project")
		}
	}
	if len(conflicts) > 0 {
		return nil, conflicting(conflicts)
	}
	return changesOf(wanted), nil
}

// hasNewMarkers reports whether the copy has markers of a conflict that its base does not have.
func hasNewMarkers(file sides) bool {
	return file.copy != nil && labels().Mark(file.copy.data) && (file.base == nil || !labels().Mark(file.base.data))
}

// vacant reports whether a file can be created at path once the wanted deletions are done.
func vacant(ctx context.Context, now files.Snapshot, path core.ProjectPath, wanted map[core.ProjectPath]core.FileChange) (bool, error) {
	free, err := now.Vacant(ctx, path)
	if err != nil || free {
		return free, err
	}
	if _, found, err := now.Read(ctx, path); err != nil || found {
		// The merge of the file itself decided.
		return found, err
	}
	for above := path.Dir(); !above.IsRoot(); above = above.Dir() {
		if change, planned := wanted[above]; planned && change.Op == core.OpDelete {
			return true, nil
		}
	}
	return false, nil
}

func conflicting(conflicts []core.MergeConflict) error {
	slices.SortFunc(conflicts, func(a, b core.MergeConflict) int { return cmp.Compare(a.Path, b.Path) })
	failure := core.Errorf(core.CodeConflict, "%d files were changed in the project as well, so nothing was merged: settle them in the copy, or let the agent do it", len(conflicts))
	if len(conflicts) == 1 {
		failure.Message = "one file was changed in the project as well, so nothing was merged: settle it in the copy, or let the agent do it"
	}
	failure.Conflicts = conflicts
	return failure
}

func sorted(changed map[core.ProjectPath]sides) []core.ProjectPath {
	return slices.SortedFunc(maps.Keys(changed), func(a, b core.ProjectPath) int { return cmp.Compare(a.String(), b.String()) })
}
