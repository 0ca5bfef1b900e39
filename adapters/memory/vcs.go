package memory

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

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

var _ vcs.Repositories = (*Repositories)(nil)

// Repositories keeps the projects' histories in memory. A repository lives in
// the project's tree and goes with it. The zero value is not usable: make one
// with NewRepositories. It may be used by many goroutines.
type Repositories struct{ trees *Trees }

// NewRepositories returns the repositories of trees.
func NewRepositories(trees *Trees) *Repositories { return &Repositories{trees} }

type digest [sha1.Size]byte

// repository is an index and the versions made of it, the oldest first.
type repository struct {
	mu       sync.Mutex
	index    map[string]indexed
	versions []recorded
}

// indexed is one staged file. Size and modified are 0 when the tree held
// something else by the time it was staged.
type indexed struct {
	content  digest
	size     int64
	modified int64
}

type recorded struct {
	core.Version
	files map[string]digest
}

// Init implements vcs.Repositories.
func (r *Repositories) Init(ctx context.Context, project core.ID) error {
	t, err := r.trees.find(ctx, project)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.repository == nil {
		t.repository = &repository{index: make(map[string]indexed)}
	}
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
	touched := make(map[string]bool)
	for _, change := range changes {
		switch change.Op {
		case core.OpWrite:
			repo.put(change.Path.String(), sha1.Sum(change.Content), touched)
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
	files := make(map[string]digest, len(repo.index))
	for name, entry := range repo.index {
		files[name] = entry.content
	}
	var last recorded
	if len(repo.versions) > 0 {
		last = repo.versions[len(repo.versions)-1]
	}
	changed := differing(last.files, files)
	if changed == 0 {
		return core.Version{}, false, nil
	}
	version := core.Version{
		Message:      vcs.CleanMessage(commit.Message),
		Author:       commit.Author,
		CreatedAt:    core.At(commit.At.Std().Truncate(time.Second)),
		ChatID:       commit.ChatID,
		FilesChanged: changed,
	}
	version.ID = nameVersion(last.ID, version, files)
	repo.versions = append(repo.versions, recorded{version, files})
	return version, true, nil
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
		end = slices.IndexFunc(repo.versions, func(v recorded) bool { return v.ID == before })
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

// Repair implements vcs.Repositories. Memory does not outlive a crash, so there
// is nothing to clear.
func (r *Repositories) Repair(ctx context.Context, project core.ID) (rebuilt bool, err error) {
	_, _, err = r.find(ctx, project)
	return false, err
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

func (r *Repositories) find(ctx context.Context, project core.ID) (*tree, *repository, error) {
	t, err := r.trees.find(ctx, project)
	if err != nil {
		return nil, nil, err
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.repository == nil {
		return nil, nil, core.NotFound("repository")
	}
	return t, t.repository, nil
}

// put stages content at name. A file and a directory cannot share a name, so
// what stands in the way leaves the index.
func (r *repository) put(name string, content digest, touched map[string]bool) {
	r.drop(name)
	for i, c := range name {
		if c == '/' {
			delete(r.index, name[:i])
		}
	}
	r.index[name] = indexed{content: content}
	touched[name] = true
}

// drop takes name and all below it out of the index and returns what it held.
func (r *repository) drop(name string) map[string]indexed {
	dropped := make(map[string]indexed)
	for staged, entry := range r.index {
		if staged == name || strings.HasPrefix(staged, name+"/") {
			dropped[staged] = entry
			delete(r.index, staged)
		}
	}
	return dropped
}

// move stages what was at from, and below it, at to, as the tree holds it.
func (r *repository) move(t *tree, from, to string, touched map[string]bool) {
	moved := r.drop(from)
	if len(moved) == 0 {
		moved[from] = indexed{}
	}
	for name, entry := range moved {
		target := to + name[len(from):]
		switch found := t.node(target); {
		case found != nil && !found.dir():
			r.put(target, sha1.Sum(found.content), touched)
		case entry != indexed{}:
			r.put(target, entry.content, touched)
		}
	}
}

// describe records what the tree says of the files just staged.
func (r *repository) describe(t *tree, touched map[string]bool) {
	for name := range touched {
		entry, staged := r.index[name]
		if !staged {
			continue
		}
		if found := t.node(name); found != nil && !found.dir() && sha1.Sum(found.content) == entry.content {
			entry.size, entry.modified = int64(len(found.content)), found.modified
		}
		r.index[name] = entry
	}
}

// differing counts the paths whose contents differ between two versions.
func differing(before, after map[string]digest) int {
	n := 0
	for name, content := range after {
		if old, found := before[name]; !found || old != content {
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

// nameVersion derives a version's ID from everything that it records.
func nameVersion(parent string, version core.Version, files map[string]digest) string {
	hash := sha1.New()
	fmt.Fprintf(hash, "%q %q %q %v\n", parent, version.Message, version.Author, version.CreatedAt)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(hash, "%q %x\n", name, files[name])
	}
	return hex.EncodeToString(hash.Sum(nil))
}
