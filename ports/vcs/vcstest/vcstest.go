// Package vcstest tests repositories, vcs.Repositories, the wire to them and their remotes against
// their ports.
package vcstest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree"
	"github.com/atelierhq/atelier/ports/worktree/worktreetest"
)

// Harness is an empty place for trees and their repositories.
type Harness struct {
	Trees        worktree.Trees
	Repositories vcs.Repositories
	// Dir returns the directory of a project's tree, in which a test plants what a
	// crash leaves behind; the repository is in ".git". Reopen returns the
	// repositories as a process that starts afterwards sees them. Both are nil when
	// there is no directory, and the clauses about crashes do not apply.
	Dir    func(project core.ID) string
	Reopen func() vcs.Repositories
	// Verify checks a repository with another client, if there is one.
	Verify func(t *testing.T, project core.ID)
}

type clause struct {
	name string
	test func(t *testing.T, p *project)
}

// Run tests repositories against the port. open returns a new harness.
func Run(t *testing.T, open func(t *testing.T) Harness) {
	clauses := slices.Concat(stageClauses(), versionClauses(), partClauses(), changesClauses(), historyClauses(), joinClauses())
	if open(t).Dir != nil {
		clauses = append(clauses, crashClauses()...)
	}
	for _, clause := range clauses {
		t.Run(clause.name, func(t *testing.T) {
			p := newProject(t, open(t))
			clause.test(t, p)
			if p.h.Verify != nil {
				p.h.Verify(t, p.id)
			}
		})
	}
}

func stageClauses() []clause {
	return []clause{
		{"a new repository is empty", empty},
		{"making a repository again leaves it as it is", initTwice},
		{"a project without a repository is not found", notFound},
		{"staging records size and time as the tree tells them", stagesStat},
		{"what the tree no longer holds is staged without size and time", stagesChanged},
		{"many changes are staged in one step, in order", stagesInOrder},
		{"a directory is deleted with all staged below it", stagesDelete},
		{"a directory is renamed with all staged below it", stagesRename},
		{"a file that was never staged is staged by its rename", stagesUnknownRename},
		{"a file and a directory take each other's place", stagesReplace},
		{"the root and unknown operations are refused", stageRefusals},
		{"users of different projects do not meet", separatesProjects},
		{"stages at once lose nothing", stagesAtOnce},
		{"an ended context ends every call", endedContext},
		{"nothing changes under a lock that was lost", lostLock},
	}
}

// project is a project with a tree and a repository.
type project struct {
	h    Harness
	id   core.ID
	repo vcs.Repositories
	tree worktree.Tree
}

func newProject(t *testing.T, h Harness) *project {
	t.Helper()
	p := &project{h: h, id: core.NewID(), repo: h.Repositories}
	p.tree = worktreetest.Create(t, worktreetest.Harness{Trees: h.Trees}, p.id)
	conformance.Must(t, p.repo.Init(t.Context(), p.id))
	return p
}

// save applies changes to the tree and stages them.
func (p *project) save(t *testing.T, changes ...core.FileChange) []worktree.Result {
	t.Helper()
	results := p.tree.Apply(t.Context(), changes)
	for i, result := range results {
		if result.Err != nil {
			t.Fatalf("change %d: got %v, want nil", i, result.Err)
		}
	}
	if err := p.repo.Stage(t.Context(), p.id, changes); err != nil {
		t.Fatalf("stage: got %v, want nil", err)
	}
	return results
}

// commit makes a version and returns it; it must be there to be made.
func (p *project) commit(t *testing.T, message string) core.Version {
	t.Helper()
	version, made, err := p.repo.Commit(t.Context(), p.id, vcs.Commit{
		Message: message, Author: core.Author{Kind: core.AuthorUser, Name: "Ann"}, At: core.At(time.Now()),
	})
	if err != nil || !made {
		t.Fatalf("commit: got made %v, %v, want a version", made, err)
	}
	return version
}

func (p *project) wantNothingStaged(t *testing.T) {
	t.Helper()
	version, made, err := p.repo.Commit(t.Context(), p.id, vcs.Commit{Message: "x", At: core.At(time.Now())})
	if err != nil || made || version != (core.Version{}) {
		t.Errorf("commit of nothing: got %+v, made %v, %v, want none", version, made, err)
	}
}

// wantStaged compares the index with the tree: the same files, sizes and times.
func (p *project) wantStaged(t *testing.T) {
	t.Helper()
	var want []vcs.StagedFile
	conformance.Must(t, p.tree.Walk(t.Context(), func(info worktree.Info) error {
		want = append(want, vcs.StagedFile{Path: info.Path, Size: info.Size, ModifiedNano: info.ModifiedNano})
		return nil
	}))
	got, err := p.repo.Staged(t.Context(), p.id)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("staged: got %v, %v, want what the tree holds, %v", got, err, want)
	}
}

func (p *project) stagedPaths(t *testing.T) []string {
	t.Helper()
	staged, err := p.repo.Staged(t.Context(), p.id)
	conformance.Must(t, err)
	var paths []string
	for _, file := range staged {
		paths = append(paths, file.Path.String())
	}
	return paths
}

func empty(t *testing.T, p *project) {
	log, err := p.repo.Log(t.Context(), p.id, "", 10)
	if err != nil || len(log) != 0 {
		t.Errorf("log: got %v, %v, want none", log, err)
	}
	staged, err := p.repo.Staged(t.Context(), p.id)
	if err != nil || len(staged) != 0 {
		t.Errorf("staged: got %v, %v, want none", staged, err)
	}
	p.wantNothingStaged(t)
	if rebuilt, err := p.repo.Repair(t.Context(), p.id); err != nil || rebuilt {
		t.Errorf("repair: got rebuilt %v, %v, want nothing to do", rebuilt, err)
	}
}

func initTwice(t *testing.T, p *project) {
	p.save(t, worktreetest.Writing("a", "a"))
	version := p.commit(t, "one")
	p.save(t, worktreetest.Writing("b", "b"))
	conformance.Must(t, p.repo.Init(t.Context(), p.id))
	log, err := p.repo.Log(t.Context(), p.id, "", 10)
	if err != nil || len(log) != 1 || log[0].ID != version.ID {
		t.Errorf("log: got %v, %v, want the version %s", log, err, version.ID)
	}
	p.wantStaged(t)
}

func notFound(t *testing.T, p *project) {
	without := core.NewID()
	worktreetest.Create(t, worktreetest.Harness{Trees: p.h.Trees}, without)
	for _, id := range []core.ID{without, core.NewID(), "", ".."} {
		_, _, commitErr := p.repo.Commit(t.Context(), id, vcs.Commit{})
		_, logErr := p.repo.Log(t.Context(), id, "", 1)
		_, repairErr := p.repo.Repair(t.Context(), id)
		_, stagedErr := p.repo.Staged(t.Context(), id)
		_, _, changesErr := p.repo.Changes(t.Context(), id, strings.Repeat("0", 40))
		stageErr := p.repo.Stage(t.Context(), id, []core.FileChange{worktreetest.Writing("a", "a")})
		for i, err := range []error{stageErr, commitErr, logErr, repairErr, stagedErr, changesErr} {
			conformance.WantCode(t, fmt.Sprintf("call %d for %q", i, id), err, core.CodeNotFound)
		}
	}
	conformance.WantCode(t, "init without a tree", p.repo.Init(t.Context(), core.NewID()), core.CodeNotFound)
}

func stagesStat(t *testing.T, p *project) {
	p.save(t, worktreetest.Writing("a.txt", "12345"), worktreetest.Writing("a/empty", ""), worktreetest.Writing("Grüße/世界.md", "ü"))
	p.wantStaged(t)
	p.save(t, worktreetest.Writing("a.txt", "changed"))
	p.wantStaged(t)
}

func stagesChanged(t *testing.T, p *project) {
	p.save(t, worktreetest.Writing("same", "same"))
	for _, tree := range []string{"12345", "other length"} {
		worktreetest.WriteFile(t, p.tree, "changed", tree)
		conformance.Must(t, p.repo.Stage(t.Context(), p.id, []core.FileChange{worktreetest.Writing("changed", "54321"), worktreetest.Writing("absent", "x")}))
		staged, err := p.repo.Staged(t.Context(), p.id)
		if err != nil || len(staged) != 3 || staged[0].ModifiedNano != 0 || staged[1].ModifiedNano != 0 || staged[1].Size != 0 {
			t.Errorf("tree holds %q: got %+v, %v, want no size and time for what differs", tree, staged, err)
		}
	}
	worktreetest.WriteFile(t, p.tree, "absent", "x")
	p.save(t, worktreetest.Writing("absent", "x"), worktreetest.Writing("changed", "54321"))
	p.wantStaged(t)
}

func stagesInOrder(t *testing.T, p *project) {
	p.save(t, worktreetest.Writing("dir/old", "old"), worktreetest.Writing("keep", "keep"))
	p.commit(t, "one")
	p.save(t,
		worktreetest.Writing("a", "1"), worktreetest.Renaming("a", "dir/b"), worktreetest.Writing("a", "2"), worktreetest.Writing("a", "3"),
		worktreetest.Renaming("dir", "moved"), worktreetest.Writing("dir/c", "4"), worktreetest.Deleting("moved/old"),
		worktreetest.Writing("moved/old/now/deeper", "5"), worktreetest.Deleting("moved/old"), worktreetest.Writing("moved/d", "6"),
	)
	p.wantStaged(t)
	if version := p.commit(t, "two"); version.FilesChanged != 5 {
		t.Errorf("files changed: got %d, want 5", version.FilesChanged)
	}
	p.wantNothingStaged(t)
}

func stagesDelete(t *testing.T, p *project) {
	p.save(t, worktreetest.Writing("dir/a", "a"), worktreetest.Writing("dir/sub/b", "b"), worktreetest.Writing("dir-c", "c"), worktreetest.Writing("dir.d", "d"), worktreetest.Writing("dir0", "e"))
	p.commit(t, "one")
	p.save(t, worktreetest.Deleting("dir"))
	p.wantStaged(t)
	if version := p.commit(t, "two"); version.FilesChanged != 2 {
		t.Errorf("files changed: got %d, want 2", version.FilesChanged)
	}
	conformance.Must(t, p.repo.Stage(t.Context(), p.id, []core.FileChange{worktreetest.Deleting("never/there")}))
	p.wantNothingStaged(t)
	p.save(t, worktreetest.Deleting("dir-c"), worktreetest.Deleting("dir.d"), worktreetest.Deleting("dir0"))
	if version := p.commit(t, "none left"); version.FilesChanged != 3 {
		t.Errorf("files changed: got %d, want 3", version.FilesChanged)
	}
	p.wantNothingStaged(t)
}

func stagesRename(t *testing.T, p *project) {
	p.save(t, worktreetest.Writing("old/a", "a"), worktreetest.Writing("old/sub/b", "b"), worktreetest.Writing("older", "stays"))
	p.commit(t, "one")
	p.save(t, worktreetest.Renaming("old", "x/new"))
	p.wantStaged(t)
	if version := p.commit(t, "two"); version.FilesChanged != 4 {
		t.Errorf("files changed: got %d, want 4", version.FilesChanged)
	}
	p.save(t, worktreetest.Renaming("older", "x/new/a"))
	p.wantStaged(t)
	if version := p.commit(t, "three"); version.FilesChanged != 2 {
		t.Errorf("files changed: got %d, want 2", version.FilesChanged)
	}
}

func stagesUnknownRename(t *testing.T, p *project) {
	worktreetest.WriteFile(t, p.tree, "unknown", "content")
	p.save(t, worktreetest.Renaming("unknown", "known"))
	p.wantStaged(t)
	conformance.Must(t, p.repo.Stage(t.Context(), p.id, []core.FileChange{worktreetest.Renaming("never", "there")}))
	p.wantStaged(t)
	p.save(t, worktreetest.Writing("staged", "before"))
	worktreetest.WriteFile(t, p.tree, "staged", "behind the back")
	p.save(t, worktreetest.Renaming("staged", "moved"))
	p.wantStaged(t)
}

func stagesReplace(t *testing.T, p *project) {
	p.save(t, worktreetest.Writing("x", "file"), worktreetest.Writing("y/a", "a"), worktreetest.Writing("y/b", "b"))
	p.commit(t, "one")
	p.save(t, worktreetest.Deleting("x"), worktreetest.Writing("x/deep/file", "now below"), worktreetest.Deleting("y"), worktreetest.Writing("y", "now a file"))
	p.wantStaged(t)
	if version := p.commit(t, "two"); version.FilesChanged != 5 {
		t.Errorf("files changed: got %d, want 5", version.FilesChanged)
	}
	conformance.Must(t, p.repo.Stage(t.Context(), p.id, []core.FileChange{worktreetest.Writing("y/z", "z"), worktreetest.Writing("x", "x")}))
	if got, want := p.stagedPaths(t), []string{"x", "y/z"}; !slices.Equal(got, want) {
		t.Errorf("without a delete before: got %q, want %q", got, want)
	}
	p.save(t, worktreetest.Deleting("x"), worktreetest.Deleting("y"), worktreetest.Writing("x", "x"))
}

func stageRefusals(t *testing.T, p *project) {
	root, a := core.ProjectPath{}, core.MustPath("a")
	for _, c := range []struct {
		change core.FileChange
		want   core.Code
	}{
		{core.FileChange{Op: core.OpWrite, Path: root}, core.CodeInvalidPath},
		{core.FileChange{Op: core.OpDelete, Path: root}, core.CodeInvalidPath},
		{core.FileChange{Op: core.OpRename, Path: a, To: root}, core.CodeInvalidPath},
		{core.FileChange{Op: "chmod", Path: a}, core.CodeInvalidRequest},
	} {
		err := p.repo.Stage(t.Context(), p.id, []core.FileChange{worktreetest.Writing("b", "b"), c.change})
		conformance.WantCode(t, string(c.change.Op), err, c.want)
	}
	if got := p.stagedPaths(t); len(got) != 0 {
		t.Errorf("got %q staged, want nothing of a refused batch", got)
	}
}

func separatesProjects(t *testing.T, p *project) {
	var users sync.WaitGroup
	for u := range 4 {
		own := newProject(t, p.h)
		users.Go(func() {
			for i := range 10 {
				changes := []core.FileChange{worktreetest.Writing(fmt.Sprint("f", i), fmt.Sprint(u, i))}
				own.tree.Apply(t.Context(), changes)
				if err := own.repo.Stage(t.Context(), own.id, changes); err != nil {
					t.Errorf("user %d: got %v, want nil", u, err)
				}
				if _, made, err := own.repo.Commit(t.Context(), own.id, vcs.Commit{Message: "m", At: 1}); err != nil || !made {
					t.Errorf("user %d: got made %v, %v, want a version", u, made, err)
				}
			}
			if log, err := own.repo.Log(t.Context(), own.id, "", 100); err != nil || len(log) != 10 {
				t.Errorf("user %d: got %d versions, %v, want 10", u, len(log), err)
			}
		})
	}
	users.Wait()
	p.wantNothingStaged(t)
}

func stagesAtOnce(t *testing.T, p *project) {
	const writers, rounds = 4, 10
	var writing sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			for i := range rounds {
				changes := []core.FileChange{worktreetest.Writing(fmt.Sprintf("w%d/f%d", w, i), fmt.Sprint(w, i))}
				p.tree.Apply(t.Context(), changes)
				if err := p.repo.Stage(t.Context(), p.id, changes); err != nil {
					t.Errorf("writer %d: got %v, want nil", w, err)
				}
			}
		})
	}
	writing.Wait()
	p.wantStaged(t)
	if got := len(p.stagedPaths(t)); got != writers*rounds {
		t.Errorf("got %d files staged, want %d", got, writers*rounds)
	}
}

func endedContext(t *testing.T, p *project) {
	p.save(t, worktreetest.Writing("a", "a"))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, commitErr := p.repo.Commit(ended, p.id, vcs.Commit{})
	_, logErr := p.repo.Log(ended, p.id, "", 1)
	_, repairErr := p.repo.Repair(ended, p.id)
	_, stagedErr := p.repo.Staged(ended, p.id)
	_, _, changesErr := p.repo.Changes(ended, p.id, strings.Repeat("0", 40))
	stageErr := p.repo.Stage(ended, p.id, []core.FileChange{worktreetest.Writing("b", "b")})
	for i, err := range []error{stageErr, commitErr, logErr, repairErr, stagedErr, changesErr, p.repo.Init(ended, p.id)} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("call %d: got %v, want context.Canceled", i, err)
		}
	}
	p.wantStaged(t)
}
