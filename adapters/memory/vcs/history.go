package vcs

import (
	"context"
	"encoding/hex"
	"maps"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

// Version implements vcs.Repositories.
func (r *Repositories) Version(ctx context.Context, project core.ID, version string) (core.Version, error) {
	_, repo, err := r.find(ctx, project)
	if err != nil {
		return core.Version{}, err
	}
	repo.mu.Lock()
	defer repo.mu.Unlock()
	found, err := repo.version(version)
	return found.Version, err
}

func (r *repository) version(id string) (storedVersion, error) {
	if pending, found := r.pending[id]; found {
		return pending, nil
	}
	at := slices.IndexFunc(r.versions, func(v storedVersion) bool { return v.ID == id })
	if at < 0 {
		return storedVersion{}, core.NotFound("version")
	}
	return r.versions[at], nil
}

// Compare implements vcs.Repositories.
func (r *Repositories) Compare(ctx context.Context, project core.ID, from, to string) ([]vcs.Difference, error) {
	_, repo, err := r.find(ctx, project)
	if err != nil {
		return nil, err
	}
	repo.mu.Lock()
	defer repo.mu.Unlock()
	var before storedVersion
	if from != "" {
		before, err = repo.version(from)
	}
	if err != nil {
		return nil, err
	}
	after, err := repo.version(to)
	if err != nil {
		return nil, err
	}
	return differences(before.files, after.files)
}

// Unversioned implements vcs.Repositories.
func (r *Repositories) Unversioned(ctx context.Context, project core.ID) ([]vcs.Difference, error) {
	_, repo, err := r.find(ctx, project)
	if err != nil {
		return nil, err
	}
	repo.mu.Lock()
	defer repo.mu.Unlock()
	staged := make(map[string]file, len(repo.index))
	for name, file := range repo.index {
		staged[name] = file.file
	}
	return differences(repo.newest().files, staged)
}

func differences(before, after map[string]file) ([]vcs.Difference, error) {
	all := maps.Clone(after)
	maps.Copy(all, before)
	differences := []vcs.Difference{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		old, was := before[name]
		now, is := after[name]
		path, err := core.ParsePath(name)
		if was && is && old == now || err != nil {
			continue
		}
		difference := vcs.Difference{Path: path}
		if was {
			difference.Before = old.blob()
		}
		if is {
			difference.After = now.blob()
		}
		if differences = append(differences, difference); len(differences) > vcs.MaxCompared {
			return nil, core.Errorf(core.CodePayloadTooLarge, "the versions differ in more than %d files", vcs.MaxCompared)
		}
	}
	return differences, nil
}

func (f file) blob() *vcs.Blob {
	return &vcs.Blob{ID: hex.EncodeToString(f.content[:]), Executable: f.executable}
}

// Holds implements vcs.Repositories.
func (r *Repositories) Holds(blob vcs.Blob, content []byte) bool {
	sum := digestOf(content)
	return blob.ID == hex.EncodeToString(sum[:])
}

// Content implements vcs.Repositories.
func (r *Repositories) Content(ctx context.Context, project core.ID, blob vcs.Blob, limit int64) ([]byte, error) {
	_, repo, err := r.find(ctx, project)
	if err != nil {
		return nil, err
	}
	repo.mu.Lock()
	defer repo.mu.Unlock()
	var name digest
	raw, err := hex.DecodeString(blob.ID)
	if err != nil || copy(name[:], raw) != len(raw) {
		return nil, core.NotFound("content")
	}
	content, found := repo.contents[name]
	switch {
	case !found:
		return nil, core.NotFound("content")
	case int64(len(content)) > limit:
		return nil, core.Errorf(core.CodePayloadTooLarge, "the file has %d bytes, more than %d", len(content), limit)
	}
	return append([]byte{}, content...), nil
}

// Recommit implements vcs.Repositories.
func (r *Repositories) Recommit(ctx context.Context, project core.ID, version string, commit vcs.Commit) (core.Version, bool, error) {
	_, repo, err := r.find(ctx, project)
	if err != nil {
		return core.Version{}, false, err
	}
	repo.mu.Lock()
	defer repo.mu.Unlock()
	earlier, err := repo.version(version)
	if err != nil {
		return core.Version{}, false, err
	}
	last := repo.newest()
	if maps.Equal(last.files, earlier.files) {
		return core.Version{}, false, nil
	}
	made := last.followedBy(commit, earlier.files)
	repo.hold(made)
	return made.Version, true, nil
}

// Duplicate implements vcs.Repositories.
func (r *Repositories) Duplicate(ctx context.Context, from, to core.ID) error {
	_, source, err := r.find(ctx, from)
	if err != nil {
		return err
	}
	tree, target, err := r.find(ctx, to)
	if err != nil {
		return err
	}
	source.mu.Lock()
	index, versions := maps.Clone(source.index), slices.Clone(source.versions)
	contents := source.named()
	source.mu.Unlock()
	target.mu.Lock()
	defer target.mu.Unlock()
	if len(target.versions) > 0 {
		return core.Errorf(core.CodeConflict, "the repository already has versions")
	}
	for name, entry := range index {
		if found, isFile := tree.File(name); !isFile || found.Modified != entry.modified {
			entry.size, entry.modified = 0, 0
			index[name] = entry
		}
	}
	target.index, target.versions, target.contents, target.duplicated = index, versions, contents, true
	return nil
}

// named returns the contents that the index and the versions refer to.
func (r *repository) named() map[digest][]byte {
	contents := map[digest][]byte{}
	for _, entry := range r.index {
		contents[entry.content] = r.contents[entry.content]
	}
	for _, version := range r.versions {
		for _, file := range version.files {
			contents[file.content] = r.contents[file.content]
		}
	}
	return contents
}

// Duplicated implements vcs.Repositories.
func (r *Repositories) Duplicated(ctx context.Context, project core.ID) (bool, error) {
	_, repo, err := r.find(ctx, project)
	if err != nil {
		return false, err
	}
	repo.mu.Lock()
	defer repo.mu.Unlock()
	return repo.duplicated, nil
}

// countChanges counts the paths whose contents differ between two versions.
func countChanges(before, after map[string]file) int {
	n := 0
	for name, file := range after {
		if old, found := before[name]; !found || old != file {
			n++
		}
	}
	for name := range before {
		if _, found := after[name]; !found {
			n++
		}
	}
	return n
}
