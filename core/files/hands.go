package files

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

// HandEdits is the message of a version that keeps what people edited before
// something else is committed.
const HandEdits = "Edited by hand"

// maxHands bounds how many people one version names.
const maxHands = 5

// hands knows who has edited a project by hand since this process last committed all
// that was staged in it.
type hands struct {
	mu    sync.Mutex
	names map[core.ID][]string
}

func newHands() *hands { return &hands{names: map[core.ID][]string{}} }

func (h *hands) add(project core.ID, by core.Author) {
	if by.Kind != core.AuthorUser || by.Name == "" {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if known := h.names[project]; len(known) < maxHands && !slices.Contains(known, by.Name) {
		h.names[project] = append(known, by.Name)
	}
}

func (h *hands) drop(project core.ID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.names, project)
}

// author names the people together. Edits from before the process started are
// somebody's.
func (h *hands) author(project core.ID) core.Author {
	h.mu.Lock()
	defer h.mu.Unlock()
	name := strings.Join(h.names[project], ", ")
	if name == "" {
		name = "Somebody"
	}
	return core.Author{Kind: core.AuthorUser, Name: name}
}

// CommitByHand makes a version of what people have staged, by those who did, so that
// it does not end up in somebody else's version. paths and except are those of
// vcs.Commit. Nothing staged there makes no version.
func (p *Pipeline) CommitByHand(ctx context.Context, project core.ID, paths, except []core.ProjectPath) error {
	work, end, err := p.begin(ctx, project)
	if err != nil {
		return err
	}
	defer end()
	return p.commitByHand(work, project, paths, except)
}

// commitByHand is CommitByHand for a caller that holds the lock.
func (p *Pipeline) commitByHand(ctx context.Context, project core.ID, paths, except []core.ProjectPath) error {
	commit := vcs.Commit{Message: HandEdits, Author: p.hands.author(project), Paths: paths, Except: except}
	_, _, err := p.commit(ctx, project, commit)
	return err
}

// commit makes a version for a caller that holds the lock.
func (p *Pipeline) commit(ctx context.Context, project core.ID, commit vcs.Commit) (core.Version, bool, error) {
	version, made, err := p.ports.Repositories.Commit(ctx, project, p.dated(commit))
	if err == nil && commit.Paths == nil {
		p.hands.drop(project)
	}
	return version, made, err
}
