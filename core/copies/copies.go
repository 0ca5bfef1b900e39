package copies

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/vcs"
)

// maxBytes bounds the contents that one merge holds in memory.
const maxBytes = 256 << 20

// Service compares and merges copies. Its callers have checked access. It may be used by many
// goroutines.
type Service struct{ files *files.Pipeline }

// New returns a service over the file pipeline.
func New(pipeline *files.Pipeline) *Service { return &Service{pipeline} }

// Keep makes a version of what is in no version of a copy, and returns the copy's newest version.
func (s *Service) Keep(ctx context.Context, made core.ID) (string, error) {
	if err := s.files.CommitByHand(ctx, made, nil, nil); err != nil {
		return "", err
	}
	newest, err := s.files.Versions(ctx, made, "", 1)
	if err != nil || len(newest) == 0 {
		return "", err
	}
	return newest[0].ID, nil
}

// FileDifference is a file in which a copy differs from its base.
type FileDifference struct {
	Path   string `json:"path"`
	Change string `json:"change"`
}

// Action is what was done to the file.
func (d FileDifference) Action() core.FileAction {
	switch d.Change {
	case added:
		return core.FileCreated
	case deleted:
		return core.FileDeleted
	}
	return core.FileModified
}

// The kinds of differences.
const (
	added    = "added"
	deleted  = "deleted"
	modified = "modified"
)

// Changes returns the files in which a copy differs from its base, staged ones included, by path.
func (s *Service) Changes(ctx context.Context, made core.ID, base string) ([]FileDifference, error) {
	newest, err := s.files.Versions(ctx, made, "", 1)
	if err != nil || len(newest) == 0 {
		return nil, err
	}
	differences, err := s.files.Compare(ctx, made, base, newest[0].ID)
	if err != nil {
		return nil, err
	}
	staged, err := s.files.Unversioned(ctx, made)
	if err != nil {
		return nil, err
	}
	all := map[core.ProjectPath]vcs.Difference{}
	for _, difference := range differences {
		all[difference.Path] = difference
	}
	for _, later := range staged {
		if first, known := all[later.Path]; known {
			later.Before = first.Before
		}
		all[later.Path] = later
	}
	changed := []FileDifference{}
	for path, difference := range all {
		if kind := kindOf(difference); kind != "" && path.String() != core.BackendTypesPath {
			changed = append(changed, FileDifference{path.String(), kind})
		}
	}
	slices.SortFunc(changed, func(a, b FileDifference) int { return cmp.Compare(a.Path, b.Path) })
	return changed, nil
}

func kindOf(difference vcs.Difference) string {
	switch {
	case difference.Before == nil && difference.After == nil:
		return ""
	case difference.Before == nil:
		return added
	case difference.After == nil:
		return deleted
	case *difference.Before == *difference.After:
		return ""
	}
	return modified
}

// fileVersions are files of versions of a copy, with a bound on what they hold.
type fileVersions struct {
	service *Service
	project core.ID
	left    int64
}

// take counts what a merge holds.
func (v *fileVersions) take(data []byte) error {
	if v.left -= int64(len(data)); v.left < 0 {
		return core.Errorf(core.CodePayloadTooLarge, "the changes are larger than %d MiB together", maxBytes>>20)
	}
	return nil
}

// content returns a file of a version.
func (v *fileVersions) content(ctx context.Context, blob *vcs.Blob) (*content, error) {
	if blob == nil {
		return nil, nil
	}
	data, err := v.service.files.Content(ctx, v.project, *blob, max(v.left, 0))
	if err == nil {
		err = v.take(data)
	}
	if err != nil {
		return nil, err
	}
	return &content{data, blob.Executable}, nil
}

// between returns the files in which two versions differ. The file that the service writes is left
// out: it follows the schema by itself.
func (v *fileVersions) between(ctx context.Context, from, to string) (map[core.ProjectPath]sides, error) {
	differences, err := v.service.files.Compare(ctx, v.project, from, to)
	if err != nil {
		return nil, err
	}
	found := make(map[core.ProjectPath]sides, len(differences))
	for _, difference := range differences {
		before, err := v.content(ctx, difference.Before)
		if err != nil {
			return nil, err
		}
		after, err := v.content(ctx, difference.After)
		if err != nil {
			return nil, err
		}
		if difference.Path.String() == core.BackendTypesPath && (after == nil || isWritten(after)) {
			continue
		}
		found[difference.Path] = sides{base: before, project: before, copy: after}
	}
	return found, nil
}

func isWritten(file *content) bool {
	return bytes.HasPrefix(file.data, []byte(core.BackendTypesNotice))
}

// present returns a file as it is in a project that is locked. What is known of its mode is that
// of the other states: the tree tells contents.
func present(ctx context.Context, now files.Snapshot, path core.ProjectPath, like *content) (*content, error) {
	data, found, err := now.Read(ctx, path)
	if err != nil || !found {
		return nil, err
	}
	executable := like != nil && like.executable
	return &content{data, executable}, nil
}

// changesOf returns changes in the order in which they can be carried out: deletions free the
// places that files need.
func changesOf(wanted map[core.ProjectPath]core.FileChange) []core.FileChange {
	changes := slices.Collect(maps.Values(wanted))
	slices.SortFunc(changes, func(a, b core.FileChange) int {
		if a.Op != b.Op {
			if a.Op == core.OpDelete {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Path.String(), b.Path.String())
	})
	return changes
}
