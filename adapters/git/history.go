package git

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/adapters/git/objects"
	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

// Version implements vcs.Repositories.
func (r *Repositories) Version(ctx context.Context, project core.ID, version string) (core.Version, error) {
	repo, err := r.open(ctx, project)
	if err != nil {
		return core.Version{}, err
	}
	found, err := repo.told(version)
	return found, durable.Fault(err, "version")
}

// Compare implements vcs.Repositories.
func (r *Repositories) Compare(ctx context.Context, project core.ID, from, to string) ([]vcs.Difference, error) {
	repo, err := r.open(ctx, project)
	if err != nil {
		return nil, err
	}
	differences, err := repo.compare(ctx, from, to)
	return differences, durable.Fault(err, "version")
}

// Unversioned implements vcs.Repositories.
func (r *Repositories) Unversioned(ctx context.Context, project core.ID) ([]vcs.Difference, error) {
	repo, err := r.open(ctx, project)
	if err != nil {
		return nil, err
	}
	differences, err := repo.unversioned(ctx)
	return differences, durable.Fault(err, "version")
}

// unversioned compares the newest version with the index.
func (r *repository) unversioned(ctx context.Context) ([]vcs.Difference, error) {
	staged, err := r.readIndex()
	if err != nil {
		return nil, err
	}
	_, last, err := r.last()
	if err != nil {
		return nil, err
	}
	root, err := staged.Tree()
	if err != nil {
		return nil, err
	}
	return r.differ(ctx, objects.Dir(last.Tree), root.Dir())
}

// Content implements vcs.Repositories.
func (r *Repositories) Content(ctx context.Context, project core.ID, blob vcs.Blob, limit int64) ([]byte, error) {
	repo, err := r.open(ctx, project)
	if err != nil {
		return nil, err
	}
	content, err := repo.blob(blob.ID, limit)
	return content, durable.Fault(err, "content")
}

// Holds implements vcs.Repositories.
func (r *Repositories) Holds(blob vcs.Blob, content []byte) bool {
	return blob.ID == plumbing.ComputeHash(plumbing.BlobObject, content).String()
}

// Recommit implements vcs.Repositories.
func (r *Repositories) Recommit(ctx context.Context, project core.ID, version string, commit vcs.Commit) (core.Version, bool, error) {
	repo, err := r.open(ctx, project)
	if err != nil {
		return core.Version{}, false, err
	}
	made, changed, err := repo.recommit(version, commit)
	return made, changed, durable.Fault(err, "version")
}

// recommit commits the tree of an earlier version on top of the last version.
func (r *repository) recommit(id string, asked vcs.Commit) (core.Version, bool, error) {
	earlier, err := r.version(id)
	if err != nil {
		return core.Version{}, false, err
	}
	at, last, err := r.last()
	if err != nil || last.Tree == earlier.Tree {
		return core.Version{}, false, err
	}
	next := objects.Commit{Tree: earlier.Tree, Version: versionOf(asked)}
	if !at.commit.IsZero() {
		next.Parents = append(next.Parents, at.commit)
	}
	if next.Version.FilesChanged, err = r.objects.ChangedFiles(last.Tree, earlier.Tree); err != nil {
		return core.Version{}, false, err
	}
	commit := objects.New(plumbing.CommitObject, next.Encode())
	next.Version.ID = commit.Hash.String()
	l := landing{repo: r}
	if err := l.addObjects([]objects.Object{commit}); err != nil {
		return core.Version{}, false, err
	}
	err = l.land()
	return next.Version, err == nil, err
}

// told returns a version with the number of files that it changed.
func (r *repository) told(id string) (core.Version, error) {
	found, err := r.version(id)
	if err != nil {
		return core.Version{}, err
	}
	parent, err := r.parentOf(found)
	if err != nil {
		return core.Version{}, err
	}
	found.Version.FilesChanged, err = r.objects.ChangedFiles(parent.Tree, found.Tree)
	return found.Version, err
}

// compare returns the files in which two versions differ, sorted by path.
func (r *repository) compare(ctx context.Context, from, to string) ([]vcs.Difference, error) {
	var before objects.Commit
	var err error
	if from != "" {
		before, err = r.version(from)
	}
	if err != nil {
		return nil, err
	}
	after, err := r.version(to)
	if err != nil {
		return nil, err
	}
	return r.differ(ctx, objects.Dir(before.Tree), objects.Dir(after.Tree))
}

// differ returns the files in which two trees differ, sorted by path.
func (r *repository) differ(ctx context.Context, before, after objects.TreeEntry) ([]vcs.Difference, error) {
	differences := []vcs.Difference{}
	err := r.objects.Changes(before, after, func(c objects.Change) error {
		path, err := core.ParsePath(c.Name)
		if err != nil || !c.Before.IsPlain() || !c.After.IsPlain() {
			return ctx.Err()
		}
		if differences = append(differences, vcs.Difference{Path: path, Before: blobOf(c.Before), After: blobOf(c.After)}); len(differences) > vcs.MaxCompared {
			return core.Errorf(core.CodePayloadTooLarge, "the versions differ in more than %d files", vcs.MaxCompared)
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(differences, func(a, b vcs.Difference) int { return strings.Compare(a.Path.String(), b.Path.String()) })
	return differences, nil
}

// blobOf describes the file of a line, nil for no line.
func blobOf(line *objects.TreeEntry) *vcs.Blob {
	if line == nil {
		return nil
	}
	return &vcs.Blob{ID: line.Hash.String(), Executable: line.Mode&0o100 != 0}
}

// blob returns what a blob holds.
func (r *repository) blob(id string, limit int64) ([]byte, error) {
	if !plumbing.IsHash(id) || len(id) != 2*len(plumbing.ZeroHash) {
		return nil, core.NotFound("content")
	}
	hash := plumbing.NewHash(id)
	size, err := r.objects.Size(hash)
	if err == nil && size > limit {
		return nil, core.Errorf(core.CodePayloadTooLarge, "the file has %d bytes, more than %d", size, limit)
	}
	var body []byte
	if err == nil {
		body, err = r.objects.Read(plumbing.BlobObject, hash)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, core.NotFound("content")
	case err != nil:
		return nil, core.Wrap(core.CodeUnavailable, err, "the repository is damaged")
	}
	return append([]byte{}, body...), nil
}
