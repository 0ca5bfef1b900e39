package copies

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/vcs"
)

// RebaseRequest says which copy gets the present files of its project.
type RebaseRequest struct {
	Copy       core.ID
	Base, Work string
	Project    core.ID
	// Author signs the versions that this makes in the copy.
	Author core.Author
	// Clean refuses conflicts.
	Clean bool
}

// Rebase gives a copy the present files of its project as its new base, and puts its own changes
// on top. It returns the new base, and the files that conflict: texts among them have markers at
// the places.
//
// With conflicts and Clean it changes nothing and returns core.CodeConflict; Error.Conflicts has the
// files.
//
// It makes up to two versions of the copy. If it ends early, it can be called again with the same
// arguments: the versions Base and Work still have all that it needs.
func (s *Service) Rebase(ctx context.Context, r RebaseRequest) (base string, conflicts []core.MergeConflict, err error) {
	from := &fileVersions{service: s, project: r.Copy, left: maxBytes}
	work, err := from.between(ctx, r.Base, r.Work)
	if err != nil {
		return "", nil, err
	}
	project, err := s.presentFiles(ctx, r, from)
	if err != nil {
		return "", nil, err
	}
	onTop, conflicts := putOnTop(work, project)
	if r.Clean && len(conflicts) > 0 {
		return "", nil, conflicting(conflicts)
	}
	// An earlier attempt may have got further than Work.
	reached, err := s.Keep(ctx, r.Copy)
	if err != nil {
		return "", nil, err
	}
	now, err := from.between(ctx, r.Base, reached)
	if err != nil {
		return "", nil, err
	}
	target := map[core.ProjectPath]*content{}
	for path, file := range now {
		target[path] = file.base
	}
	for path, file := range project {
		target[path] = file.project
	}
	if base, err = s.become(ctx, r, "The project's present state", target); err != nil {
		return "", nil, err
	}
	_, err = s.become(ctx, r, "The changes of this copy", onTop)
	return base, conflicts, err
}

// putOnTop merges the changes of a copy with those of its project.
func putOnTop(work, project map[core.ProjectPath]sides) (onTop map[core.ProjectPath]*content, conflicts []core.MergeConflict) {
	onTop = map[core.ProjectPath]*content{}
	for _, path := range sorted(work) {
		file := work[path]
		if changed, is := project[path]; is {
			file.project = changed.project
		}
		result, why := file.merged()
		if why != "" {
			conflicts = append(conflicts, core.MergeConflict{Path: path.String(), Message: why})
		}
		onTop[path] = result
	}
	return onTop, conflicts
}

// presentFiles returns the files in which the project differs from the base of its copy.
func (s *Service) presentFiles(ctx context.Context, r RebaseRequest, from *fileVersions) (found map[core.ProjectPath]sides, err error) {
	before, err := s.files.FilesAt(ctx, r.Copy, r.Base)
	if err != nil {
		return nil, err
	}
	_, _, err = s.files.Revise(ctx, r.Project, func(ctx context.Context, now files.Snapshot) (files.Revision, error) {
		found, err = s.differing(ctx, now, r.Project, before, from)
		return files.Revision{}, err
	})
	return found, err
}

// differing returns the files in which a project that is locked differs from a version of its copy.
func (s *Service) differing(ctx context.Context, now files.Snapshot, project core.ID, before []files.ProjectFile, from *fileVersions) (map[core.ProjectPath]sides, error) {
	blobs := map[core.ProjectPath]*vcs.Blob{}
	for _, file := range before {
		blobs[file.Path] = file.Blob
	}
	listing, err := s.files.List(ctx, project)
	if err != nil {
		return nil, err
	}
	for _, entry := range listing.Entries {
		if _, known := blobs[entry.Path]; !known {
			blobs[entry.Path] = nil
		}
	}
	found := map[core.ProjectPath]sides{}
	for path, blob := range blobs {
		file, err := s.compare(ctx, now, path, blob, from)
		if err != nil {
			return nil, err
		}
		if file != nil {
			found[path] = *file
		}
	}
	return found, nil
}

// compare returns both states of a file, nil if they are equal.
func (s *Service) compare(ctx context.Context, now files.Snapshot, path core.ProjectPath, blob *vcs.Blob, from *fileVersions) (*sides, error) {
	data, found, err := now.Read(ctx, path)
	if err != nil {
		return nil, err
	}
	if !found && blob == nil || found && blob != nil && s.files.Holds(*blob, data) {
		return nil, nil
	}
	if found && path.String() == core.BackendTypesPath && isWritten(&content{data: data}) {
		return nil, nil
	}
	base, err := from.content(ctx, blob)
	if err != nil {
		return nil, err
	}
	file := &sides{base: base}
	if found {
		file.project = &content{data, base != nil && base.executable}
		err = from.take(data)
	}
	return file, err
}

// become gives files of the copy new contents, as one version, and returns the copy's newest.
func (s *Service) become(ctx context.Context, r RebaseRequest, message string, target map[core.ProjectPath]*content) (string, error) {
	commit := vcs.Commit{Message: message, Author: r.Author}
	_, _, err := s.files.Revise(ctx, r.Copy, func(ctx context.Context, now files.Snapshot) (files.Revision, error) {
		wanted := map[core.ProjectPath]core.FileChange{}
		for path, file := range target {
			current, err := present(ctx, now, path, file)
			if err != nil {
				return files.Revision{}, err
			}
			if !file.equal(current) {
				wanted[path] = file.change(path, current)
			}
		}
		return files.Revision{Changes: changesOf(wanted), Commit: commit}, nil
	})
	if err != nil {
		return "", err
	}
	return s.Keep(ctx, r.Copy)
}
