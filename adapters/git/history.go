package git

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/adapters/git/gitdir"
	"github.com/atelierhq/atelier/adapters/git/objects"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

// history reads the versions of a repository, and what they changed.
type history struct {
	dir     gitdir.Dir
	objects *objects.Store
}

// newest returns the head and the newest version. Before the first version, both are empty.
func (h history) newest() (gitdir.Head, objects.Commit, error) {
	at, err := h.dir.Head()
	if err != nil || at.Commit.IsZero() {
		return at, objects.Commit{}, err
	}
	body, err := h.objects.ReadReferenced(plumbing.CommitObject, at.Commit)
	if err != nil {
		return at, objects.Commit{}, err
	}
	parsed, err := objects.ParseCommit(at.Commit, body)
	return at, parsed, err
}

// version returns the version of an id.
func (h history) version(id string) (objects.Commit, error) {
	if !plumbing.IsHash(id) || len(id) != 2*len(plumbing.ZeroHash) {
		return objects.Commit{}, core.NotFound("version")
	}
	hash := plumbing.NewHash(id)
	body, err := h.objects.Read(plumbing.CommitObject, hash)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, objects.ErrDamaged) {
		return objects.Commit{}, core.NotFound("version")
	}
	if err != nil {
		return objects.Commit{}, err
	}
	return objects.ParseCommit(hash, body)
}

// parentOf returns the parent of a version, empty for the first version. In a shallow
// clone, the version at its end counts as the first.
func (h history) parentOf(version objects.Commit) (objects.Commit, error) {
	if len(version.Parents) == 0 {
		return objects.Commit{}, nil
	}
	return h.commit(version.Parents[0])
}

// commit reads a commit that another names, empty if it does not exist.
func (h history) commit(hash plumbing.Hash) (objects.Commit, error) {
	body, err := h.objects.Read(plumbing.CommitObject, hash)
	if errors.Is(err, fs.ErrNotExist) {
		return objects.Commit{}, nil
	}
	if err != nil {
		return objects.Commit{}, core.Wrap(core.CodeUnavailable, err, "the repository is damaged")
	}
	return objects.ParseCommit(hash, body)
}

// unversioned compares the newest version with the index.
func (h history) unversioned(ctx context.Context) ([]vcs.Difference, error) {
	staged, err := h.dir.Index()
	if err != nil {
		return nil, err
	}
	_, last, err := h.newest()
	if err != nil {
		return nil, err
	}
	root, err := staged.Tree()
	if err != nil {
		return nil, err
	}
	return h.differences(ctx, objects.Dir(last.Tree), root.Dir())
}

// describe returns a version with the number of files that it changed.
func (h history) describe(id string) (core.Version, error) {
	found, err := h.version(id)
	if err != nil {
		return core.Version{}, err
	}
	found.Version.FilesChanged, err = h.changedFiles(found)
	return found.Version, err
}

// changedFiles counts the files that a version changed.
func (h history) changedFiles(version objects.Commit) (int, error) {
	parent, err := h.parentOf(version)
	if err != nil {
		return 0, err
	}
	return h.objects.ChangedFiles(parent.Tree, version.Tree)
}

// compare returns the files in which two versions differ, sorted by path.
func (h history) compare(ctx context.Context, from, to string) ([]vcs.Difference, error) {
	var before objects.Commit
	var err error
	if from != "" {
		before, err = h.version(from)
	}
	if err != nil {
		return nil, err
	}
	after, err := h.version(to)
	if err != nil {
		return nil, err
	}
	return h.differences(ctx, objects.Dir(before.Tree), objects.Dir(after.Tree))
}

// differences returns the files in which two trees differ, sorted by path.
func (h history) differences(ctx context.Context, before, after objects.TreeEntry) ([]vcs.Difference, error) {
	differences := []vcs.Difference{}
	err := h.objects.Changes(before, after, func(c objects.Change) error {
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

// blobOf describes the file of an entry, nil for no entry.
func blobOf(entry *objects.TreeEntry) *vcs.Blob {
	if entry == nil {
		return nil
	}
	return &vcs.Blob{ID: entry.Hash.String(), Executable: entry.Mode&0o100 != 0}
}

// content returns what a blob holds.
func (h history) content(id string, limit int64) ([]byte, error) {
	if !plumbing.IsHash(id) || len(id) != 2*len(plumbing.ZeroHash) {
		return nil, core.NotFound("content")
	}
	hash := plumbing.NewHash(id)
	size, err := h.objects.Size(hash)
	if err == nil && size > limit {
		return nil, core.Errorf(core.CodePayloadTooLarge, "the file has %d bytes, more than %d", size, limit)
	}
	var body []byte
	if err == nil {
		body, err = h.objects.Read(plumbing.BlobObject, hash)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, core.NotFound("content")
	case err != nil:
		return nil, core.Wrap(core.CodeUnavailable, err, "the repository is damaged")
	}
	return append([]byte{}, body...), nil
}
