package vcs

import (
	"context"
	"encoding/hex"
	"maps"
	"slices"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

// hold keeps a version to which the caller may move.
func (r *repository) hold(version storedVersion) {
	if r.pending == nil {
		r.pending = map[string]storedVersion{}
	}
	r.pending[version.ID] = version
}

// take appends a pending version to the log, after those on which it builds.
func (r *repository) take(id string) {
	version, found := r.pending[id]
	if !found {
		return
	}
	delete(r.pending, id)
	for _, parent := range version.parents {
		r.take(parent)
	}
	r.versions = append(r.versions, version)
}

// ancestors returns a version and everything on which it builds.
func (r *repository) ancestors(id string) (map[string]storedVersion, error) {
	found := map[string]storedVersion{}
	for left := []string{id}; len(left) > 0; {
		next := left[len(left)-1]
		left = left[:len(left)-1]
		if _, known := found[next]; known {
			continue
		}
		version, err := r.version(next)
		if err != nil {
			return nil, err
		}
		found[next] = version
		left = append(left, version.parents...)
	}
	return found, nil
}

// Base implements vcs.Repositories.
func (r *Repositories) Base(ctx context.Context, project core.ID, one, other string) (string, error) {
	_, repo, err := r.find(ctx, project)
	if err != nil {
		return "", err
	}
	repo.mu.Lock()
	defer repo.mu.Unlock()
	ours, err := repo.ancestors(one)
	if err != nil {
		return "", err
	}
	theirs, err := repo.ancestors(other)
	if err != nil {
		return "", err
	}
	maps.DeleteFunc(ours, func(id string, _ storedVersion) bool { return theirs[id].ID == "" })
	older := map[string]bool{}
	for _, common := range ours {
		for _, parent := range common.parents {
			older[parent] = true
		}
	}
	for _, id := range slices.Sorted(maps.Keys(ours)) {
		if !older[id] {
			return id, nil
		}
	}
	return "", nil
}

// Join implements vcs.Repositories.
func (r *Repositories) Join(ctx context.Context, project core.ID, join vcs.Join) (core.Version, error) {
	_, repo, err := r.find(ctx, project)
	if err != nil {
		return core.Version{}, err
	}
	repo.mu.Lock()
	defer repo.mu.Unlock()
	ours, err := repo.version(join.Ours)
	if err != nil {
		return core.Version{}, err
	}
	if _, err := repo.version(join.Theirs); err != nil {
		return core.Version{}, err
	}
	files := maps.Clone(ours.files)
	for _, joined := range join.Files {
		name, next := joined.Path.String(), file{executable: joined.Executable}
		switch {
		case joined.Blob != nil:
			next.executable = joined.Blob.Executable
			raw, err := hex.DecodeString(joined.Blob.ID)
			copy(next.content[:], raw)
			if _, found := repo.contents[next.content]; err != nil || !found {
				return core.Version{}, core.NotFound("content")
			}
		case joined.Content != nil:
			next.content = repo.keep(joined.Content)
		default:
			delete(files, name)
			continue
		}
		files[name] = next
	}
	made := ours.followedBy(join.Commit, files)
	made.parents = append(made.parents, join.Theirs)
	made.ID = nameVersion(join.Ours+join.Theirs, made.Version, files)
	repo.hold(made)
	return made.Version, nil
}

// Repository is a repository of a host in memory, on which tests commit as people elsewhere do.
// Its caller calls one method at a time for each project.
type Repository struct {
	repo     *repository
	branches map[string]string
}

// newRepository returns a repository of a host without a branch.
func newRepository() *Repository {
	return &Repository{&repository{index: map[string]indexEntry{}, contents: map[digest][]byte{}}, map[string]string{}}
}

// Commit adds a version to a branch: it writes files, and removes those with nil contents.
func (h *Repository) Commit(branch, message string, at time.Time, files map[string][]byte) string {
	h.repo.mu.Lock()
	defer h.repo.mu.Unlock()
	last, _ := h.repo.version(h.branches[branch])
	next := maps.Clone(last.files)
	if next == nil {
		next = map[string]file{}
	}
	for name, content := range files {
		if content == nil {
			delete(next, name)
			continue
		}
		next[name] = file{content: h.repo.keep(content)}
	}
	made := last.followedBy(vcs.Commit{Message: message, Author: core.Author{Kind: core.AuthorUser, Name: "Elsewhere"}, At: core.At(at)}, next)
	h.repo.hold(made)
	h.branches[branch] = made.ID
	return made.ID
}

// Files returns the files of a branch by name.
func (h *Repository) Files(branch string) map[string]string {
	h.repo.mu.Lock()
	defer h.repo.mu.Unlock()
	found := map[string]string{}
	version, _ := h.repo.version(h.branches[branch])
	for name, file := range version.files {
		found[name] = string(h.repo.contents[file.content])
	}
	return found
}

// Tip returns the newest version of a branch, "" if there is no such branch.
func (h *Repository) Tip(branch string) string {
	h.repo.mu.Lock()
	defer h.repo.mu.Unlock()
	return h.branches[branch]
}

// Holds reports whether a branch builds on a version.
func (h *Repository) Holds(branch, version string) bool {
	h.repo.mu.Lock()
	defer h.repo.mu.Unlock()
	all, err := h.repo.ancestors(h.branches[branch])
	return err == nil && all[version].ID != ""
}

// Delete removes a branch.
func (h *Repository) Delete(branch string) {
	h.repo.mu.Lock()
	defer h.repo.mu.Unlock()
	delete(h.branches, branch)
}
