// Package vcs is a vcs.Repositories in memory with remotes that are in memory as well, and a wire
// that refuses every call. Package memory makes them.
package vcs

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/atelierhq/atelier/adapters/memory/worktree"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/locks"
	"github.com/atelierhq/atelier/ports/vcs"
)

var _ vcs.Repositories = (*Repositories)(nil)

// Repositories keeps the projects' histories in memory. A repository is part of the
// project's tree and is removed with it. The zero value is not usable: call New. It is
// safe for concurrent use.
type Repositories struct{ trees *worktree.Trees }

// New returns the repositories of trees.
func New(trees *worktree.Trees) *Repositories { return &Repositories{trees} }

type digest [sha1.Size]byte

// repository is an index and the versions made from it, the oldest first.
type repository struct {
	mu       sync.Mutex
	index    map[string]indexEntry
	versions []storedVersion
	// contents holds everything that was ever staged.
	contents map[digest][]byte
	// pending are versions that are in no log yet, by their ids: one to which the caller may
	// move, and those that were pulled.
	pending map[string]storedVersion
	// arriving is the version to which the project is moving, nil if none.
	arriving *vcs.Arrival
	// duplicated means that the versions were copied from another project and nobody has
	// used them yet.
	duplicated bool
}

// file is a file in the index or a version.
type file struct {
	content    digest
	executable bool
}

// indexEntry is one staged file. Size and modified are 0 if the tree held something else
// when it was staged.
type indexEntry struct {
	file
	size     int64
	modified int64
}

// storedVersion is a version with its files.
type storedVersion struct {
	core.Version
	files   map[string]file
	parents []string
}

// Init implements vcs.Repositories.
func (r *Repositories) Init(ctx context.Context, project core.ID) error {
	t, err := r.trees.Find(ctx, project)
	if err != nil {
		return err
	}
	t.Attach(func() any {
		return &repository{index: make(map[string]indexEntry), contents: make(map[digest][]byte)}
	})
	return nil
}

// Stage implements vcs.Repositories.
func (r *Repositories) Stage(ctx context.Context, project core.ID, changes []core.FileChange) error {
	t, repo, err := r.find(ctx, project)
	if err != nil {
		return err
	}
	for _, change := range changes {
		if err := checkStageable(change); err != nil {
			return err
		}
	}
	repo.mu.Lock()
	defer repo.mu.Unlock()
	if err := locks.Check(ctx); err != nil {
		return err
	}
	touched := make(map[string]bool)
	for _, change := range changes {
		switch change.Op {
		case core.OpWrite:
			repo.put(change.Path.String(), repo.keep(change.Content), touched)
		case core.OpRename:
			repo.move(t, change.Path.String(), change.To.String(), touched)
		case core.OpDelete:
			repo.drop(change.Path.String())
		}
	}
	repo.describe(t, touched)
	return nil
}

func checkStageable(change core.FileChange) error {
	if change.Path.IsRoot() || change.Op == core.OpRename && change.To.IsRoot() {
		return core.Errorf(core.CodeInvalidPath, "the project's root cannot be staged")
	}
	switch change.Op {
	case core.OpWrite, core.OpRename, core.OpDelete:
		return nil
	}
	return core.Errorf(core.CodeInvalidRequest, "no such operation on a file")
}

// Commit implements vcs.Repositories.
func (r *Repositories) Commit(ctx context.Context, project core.ID, commit vcs.Commit) (core.Version, bool, error) {
	_, repo, err := r.find(ctx, project)
	if err != nil {
		return core.Version{}, false, err
	}
	repo.mu.Lock()
	defer repo.mu.Unlock()
	last := repo.newest()
	files := repo.filesOf(commit, last.files)
	if countChanges(last.files, files) == 0 {
		return core.Version{}, false, nil
	}
	if err := locks.Check(ctx); err != nil {
		return core.Version{}, false, err
	}
	made := last.followedBy(commit, files)
	repo.versions = append(repo.versions, made)
	return made.Version, true, nil
}

// followedBy returns the version after this one.
func (r storedVersion) followedBy(commit vcs.Commit, files map[string]file) storedVersion {
	version := core.Version{
		Message:      vcs.CleanMessage(commit.Message),
		Author:       commit.Author,
		CreatedAt:    core.At(commit.At.Std().Truncate(time.Second)),
		FilesChanged: countChanges(r.files, files),
	}
	if commit.ChatID != nil {
		version.Chat = core.MarkOf(*commit.ChatID)
	}
	version.ID = nameVersion(r.ID, version, files)
	made := storedVersion{Version: version, files: files}
	if r.ID != "" {
		made.parents = []string{r.ID}
	}
	return made
}

// newest returns the last version, the zero one before the first.
func (r *repository) newest() storedVersion {
	if len(r.versions) == 0 {
		return storedVersion{}
	}
	return r.versions[len(r.versions)-1]
}

// filesOf returns the files of a version: those that it takes from the index, and otherwise
// those of the version before.
func (r *repository) filesOf(commit vcs.Commit, before map[string]file) map[string]file {
	files := make(map[string]file, len(r.index))
	for name, entry := range r.index {
		if old, found := before[name]; commit.Takes(name) || found && old == entry.file {
			files[name] = entry.file
		}
	}
	for name, file := range before {
		if !commit.Takes(name) && !conflicts(files, name) {
			files[name] = file
		}
	}
	return files
}

// conflicts reports whether files hold one above or below name, so that no file of that
// name can exist.
func conflicts(files map[string]file, name string) bool {
	for other := range files {
		if strings.HasPrefix(other, name+"/") || strings.HasPrefix(name, other+"/") {
			return true
		}
	}
	return false
}

// Log implements vcs.Repositories.
func (r *Repositories) Log(ctx context.Context, project core.ID, before string, limit int) ([]core.Version, error) {
	_, repo, err := r.find(ctx, project)
	if err != nil {
		return nil, err
	}
	repo.mu.Lock()
	defer repo.mu.Unlock()
	end := len(repo.versions)
	if before != "" {
		end = slices.IndexFunc(repo.versions, func(v storedVersion) bool { return v.ID == before })
		if end < 0 {
			return nil, core.NotFound("version")
		}
	}
	page := []core.Version{}
	for i := end - 1; i >= 0 && len(page) < limit; i-- {
		page = append(page, repo.versions[i].Version)
	}
	return page, nil
}

// Changes implements vcs.Repositories.
func (r *Repositories) Changes(ctx context.Context, project core.ID, version string) (core.Version, []vcs.Change, error) {
	_, repo, err := r.find(ctx, project)
	if err != nil {
		return core.Version{}, nil, err
	}
	repo.mu.Lock()
	defer repo.mu.Unlock()
	at := slices.IndexFunc(repo.versions, func(v storedVersion) bool { return v.ID == version })
	if at < 0 {
		return core.Version{}, nil, core.NotFound("version")
	}
	var before map[string]file
	if parents := repo.versions[at].parents; len(parents) > 0 {
		parent, err := repo.version(parents[0])
		if err != nil {
			return core.Version{}, nil, err
		}
		before = parent.files
	}
	changes, err := repo.changes(before, repo.versions[at].files)
	return repo.versions[at].Version, changes, err
}

// changes returns the differences between two versions, sorted by path.
func (r *repository) changes(before, after map[string]file) ([]vcs.Change, error) {
	all := maps.Clone(after)
	maps.Copy(all, before)
	changes, size := []vcs.Change{}, 0
	for _, name := range slices.Sorted(maps.Keys(all)) {
		old, was := before[name]
		now, is := after[name]
		path, err := core.ParsePath(name)
		if was && is && old == now || err != nil {
			continue
		}
		change := vcs.Change{Path: path}
		if was {
			change.Before = slices.Clone(r.contents[old.content])
		}
		if is {
			change.After = slices.Clone(r.contents[now.content])
		}
		size += len(change.Before) + len(change.After)
		if changes = append(changes, change); len(changes) > vcs.MaxChanges || size > vcs.MaxChangesBytes {
			return nil, core.Errorf(core.CodePayloadTooLarge, "the version changed too much to be shown")
		}
	}
	return changes, nil
}

// Repair implements vcs.Repositories. Memory does not survive a crash, so there is
// nothing to clear.
func (r *Repositories) Repair(ctx context.Context, project core.ID) (rebuilt bool, err error) {
	_, repo, err := r.find(ctx, project)
	if err != nil {
		return false, err
	}
	repo.mu.Lock()
	defer repo.mu.Unlock()
	repo.duplicated = false
	return false, nil
}

// Staged implements vcs.Repositories.
func (r *Repositories) Staged(ctx context.Context, project core.ID) ([]vcs.StagedFile, error) {
	_, repo, err := r.find(ctx, project)
	if err != nil {
		return nil, err
	}
	repo.mu.Lock()
	defer repo.mu.Unlock()
	staged := []vcs.StagedFile{}
	for _, name := range slices.Sorted(maps.Keys(repo.index)) {
		if path, err := core.ParsePath(name); err == nil {
			entry := repo.index[name]
			staged = append(staged, vcs.StagedFile{Path: path, Size: entry.size, ModifiedNano: entry.modified})
		}
	}
	return staged, nil
}

func (r *Repositories) find(ctx context.Context, project core.ID) (*worktree.Tree, *repository, error) {
	t, err := r.trees.Find(ctx, project)
	if err != nil {
		return nil, nil, err
	}
	repo, made := t.Attached().(*repository)
	if !made {
		return nil, nil, core.NotFound("repository")
	}
	return t, repo, nil
}

// digestOf returns git's name of a content.
func digestOf(content []byte) digest {
	return sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(content)), content...))
}

// keep stores a content and returns its description.
func (r *repository) keep(content []byte) digest {
	sum := digestOf(content)
	if _, known := r.contents[sum]; !known {
		r.contents[sum] = append([]byte{}, content...)
	}
	return sum
}

// put stages content at name. A file and a directory cannot share a name, so conflicting
// entries leave the index.
func (r *repository) put(name string, content digest, touched map[string]bool) {
	r.drop(name)
	for i, c := range name {
		if c == '/' {
			delete(r.index, name[:i])
		}
	}
	r.index[name] = indexEntry{file: file{content: content}}
	touched[name] = true
}

// drop removes name and everything below it from the index and returns what it held.
func (r *repository) drop(name string) map[string]indexEntry {
	dropped := make(map[string]indexEntry)
	for staged, entry := range r.index {
		if staged == name || strings.HasPrefix(staged, name+"/") {
			dropped[staged] = entry
			delete(r.index, staged)
		}
	}
	return dropped
}

// move stages everything at and below from as at and below to, with the contents of the
// tree.
func (r *repository) move(t *worktree.Tree, from, to string, touched map[string]bool) {
	moved := r.drop(from)
	if len(moved) == 0 {
		moved[from] = indexEntry{}
	}
	for name, entry := range moved {
		target := to + name[len(from):]
		switch found, isFile := t.File(target); {
		case isFile:
			r.put(target, r.keep(found.Content), touched)
		case entry != indexEntry{}:
			r.put(target, entry.content, touched)
		}
	}
}

// describe records the tree's description of the files just staged.
func (r *repository) describe(t *worktree.Tree, touched map[string]bool) {
	for name := range touched {
		entry, staged := r.index[name]
		if !staged {
			continue
		}
		if found, isFile := t.File(name); isFile && digestOf(found.Content) == entry.content {
			entry.size, entry.modified, entry.executable = int64(len(found.Content)), found.Modified, found.Executable
		}
		r.index[name] = entry
	}
}

// nameVersion derives a version's ID from everything that it records.
func nameVersion(parent string, version core.Version, files map[string]file) string {
	hash := sha1.New()
	fmt.Fprintf(hash, "%q %q %q %v\n", parent, version.Message, version.Author, version.CreatedAt)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(hash, "%q %x %t\n", name, files[name].content, files[name].executable)
	}
	return hex.EncodeToString(hash.Sum(nil))
}
