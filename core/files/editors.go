package files

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
)

// HandEdits is the message of a version that keeps what people edited before
// something else is committed.
const HandEdits = "Edited by hand"

// maxEditors bounds how many people one version names.
const maxEditors = 5

// editors knows who has edited a project by hand since this process last committed everything
// staged in it.
type editors struct {
	mu    sync.Mutex
	names map[core.ID][]string
}

func newEditors() *editors { return &editors{names: map[core.ID][]string{}} }

func (e *editors) add(project core.ID, by core.Author) {
	if by.Kind != core.AuthorUser || by.Name == "" {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if known := e.names[project]; len(known) < maxEditors && !slices.Contains(known, by.Name) {
		e.names[project] = append(known, by.Name)
	}
}

func (e *editors) drop(project core.ID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.names, project)
}

// author names the people together. Edits from before the process started belong to "somebody".
func (e *editors) author(project core.ID) core.Author {
	e.mu.Lock()
	defer e.mu.Unlock()
	name := strings.Join(e.names[project], ", ")
	if name == "" {
		name = "Somebody"
	}
	return core.Author{Kind: core.AuthorUser, Name: name}
}

// with names the people who have edited a project, plus one more.
func (e *editors) with(project core.ID, by core.Author) string {
	e.add(project, by)
	return e.author(project).Name
}

// editOf returns the record of a person's unversioned edit; nil for the agent's changes and for
// changes that become a version under the same lock.
func (l *lockedProject) editOf(set changeSet) *storage.Edit {
	if set.by.Kind != core.AuthorUser || set.committed {
		return nil
	}
	return &storage.Edit{Project: l.id, At: core.At(l.deps.Now()), By: l.editors.with(l.id, set.by)}
}

// Except returns the paths that a person's version leaves out because running agents are changing
// them; nil leaves nothing out. It is called under the project's lock, because a run may begin
// while its caller waits for the lock.
type Except func(ctx context.Context) ([]core.ProjectPath, error)

func (e Except) paths(ctx context.Context) ([]core.ProjectPath, error) {
	if e == nil {
		return nil, nil
	}
	return e(ctx)
}

// CommitByHand makes a version of what people have staged, with them as authors, so that it does
// not end up in somebody else's version. paths are those of vcs.Commit. If nothing is staged there,
// it makes no version. The error of except is returned unchanged.
func (p *Pipeline) CommitByHand(ctx context.Context, project core.ID, paths []core.ProjectPath, except Except) error {
	locked, err := p.lockSaved(ctx, project)
	if err != nil {
		return err
	}
	defer locked.release()
	others, err := except.paths(locked.ctx)
	if err != nil {
		return err
	}
	return locked.commitByHand(paths, others)
}

// commitByHand is Pipeline.CommitByHand without paths that are known.
func (l *lockedProject) commitByHand(paths, except []core.ProjectPath) error {
	commit := vcs.Commit{Message: HandEdits, Author: l.editors.author(l.id), Paths: paths, Except: except}
	_, _, err := l.commit(commit)
	return err
}

// KeepEdits makes a version of what people have edited if their last edit was at until or before,
// and removes the record of the edit (storage.Edits). Paths from except stay staged; its error is
// returned unchanged. The second result is false if there is no such edit, if people have edited
// since, or if nothing differs from the last version. It decides under the project's lock, so that
// only one of several processes makes the version.
func (p *Pipeline) KeepEdits(ctx context.Context, project core.ID, until core.Time, except Except) (core.Version, bool, error) {
	locked, err := p.lockSaved(ctx, project)
	if err != nil {
		return core.Version{}, false, err
	}
	defer locked.release()
	edits := p.deps.Store.Tables().Edits
	edit, err := edits.Of(locked.ctx, project)
	if core.IsCode(err, core.CodeNotFound) || err == nil && edit.At > until {
		return core.Version{}, false, nil
	}
	if err != nil {
		return core.Version{}, false, err
	}
	others, err := except.paths(locked.ctx)
	if err != nil {
		return core.Version{}, false, err
	}
	author := core.Author{Kind: core.AuthorUser, Name: edit.By}
	version, made, err := locked.commit(vcs.Commit{Message: HandEdits, Author: author, Except: others})
	if err != nil {
		return core.Version{}, false, err
	}
	if err := edits.Settle(locked.ctx, edit); err != nil {
		return version, made, err
	}
	return version, made, nil
}

// Unversioned returns the files in which the project differs from its newest version, including
// edits that people have not saved yet. Its errors are those of vcs.Repositories.
func (p *Pipeline) Unversioned(ctx context.Context, project core.ID) ([]vcs.Difference, error) {
	locked, err := p.lockSaved(ctx, project)
	if err != nil {
		return nil, err
	}
	defer locked.release()
	return p.deps.Repositories.Unversioned(locked.ctx, project)
}

// commit makes a version. It fails if a process that died or hangs in the middle of another
// version left the repository locked; the next touch repairs that.
func (l *lockedProject) commit(commit vcs.Commit) (core.Version, bool, error) {
	version, made, err := l.deps.Repositories.Commit(l.ctx, l.id, l.dated(commit))
	if err == nil && commit.Paths == nil {
		l.editors.drop(l.id)
	}
	if core.IsCode(err, core.CodeUnavailable) {
		l.fresh.drop(l.id)
	}
	return version, made, err
}
