package vcstest

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree/worktreetest"
)

func joinClauses() []clause {
	return []clause{
		{"two lines build on their newest common version", findsBase},
		{"a join has the files of both lines", joins},
		{"only what differs from its first parent counts as changed", joinsNothing},
		{"a join of unknown versions or contents is not found", joinRefusals},
		{"an ended context ends every join", joinsEndedContext},
	}
}

// fork is a project whose last common version has two that build on it: ours is the project's,
// and theirs has the files of first.
type fork struct {
	*project
	first, base, ours, theirs string
}

func newFork(t *testing.T, p *project) fork {
	t.Helper()
	p.save(t, worktreetest.Writing("both", "1"), worktreetest.Writing("theirs", "1"))
	f := fork{project: p, first: p.commit(t, "first").ID}
	p.save(t, worktreetest.Deleting("theirs"), worktreetest.Writing("dir/gone", "x"))
	f.base = p.commit(t, "base").ID
	theirs, made, err := p.repo.Recommit(t.Context(), p.id, f.first, commitNamed("theirs"))
	if err != nil || !made {
		t.Fatalf("got %v, %v, want a version", made, err)
	}
	f.theirs = theirs.ID
	p.save(t, worktreetest.Writing("ours", "1"))
	f.ours = p.commit(t, "ours").ID
	return f
}

func commitNamed(message string) vcs.Commit {
	return vcs.Commit{Message: message, Author: core.Author{Kind: core.AuthorUser, Name: "Ann"}, At: 1_800_000_000_000}
}

func (f fork) wantBase(t *testing.T, one, other, want string) {
	t.Helper()
	for range 2 {
		if got, err := f.repo.Base(t.Context(), f.id, one, other); err != nil || got != want {
			t.Errorf("base of %s and %s: got %s, %v, want %s", one, other, got, err, want)
		}
		one, other = other, one
	}
}

// join joins theirs into ours, with files, and makes that the project's version.
func (f fork) join(t *testing.T, files ...vcs.JoinedFile) core.Version {
	t.Helper()
	made, err := f.repo.Join(t.Context(), f.id, vcs.Join{Ours: f.ours, Theirs: f.theirs, Commit: commitNamed("join"), Files: files})
	conformance.Must(t, err)
	if log, err := f.repo.Log(t.Context(), f.id, "", 10); err != nil || len(log) != 3 {
		t.Errorf("got %d versions, %v, want the join in no log before it arrives", len(log), err)
	}
	arrival := vcs.Arrival{From: f.ours, To: made.ID}
	conformance.Must(t, f.repo.Arrive(t.Context(), f.id, arrival))
	conformance.Must(t, f.repo.Settle(t.Context(), f.id, arrival))
	return made
}

func findsBase(t *testing.T, p *project) {
	f := newFork(t, p)
	f.wantBase(t, f.ours, f.theirs, f.base)
	f.wantBase(t, f.ours, f.first, f.first)
	f.wantBase(t, f.theirs, f.theirs, f.theirs)
	joined := f.join(t).ID
	f.wantBase(t, joined, f.theirs, f.theirs)
	f.wantBase(t, joined, f.ours, f.ours)
	for _, unknown := range []string{"", "main", strings.Repeat("0", 40), f.ours[:39]} {
		_, err := f.repo.Base(t.Context(), f.id, f.ours, unknown)
		conformance.WantCode(t, "base with "+unknown, err, core.CodeNotFound)
	}
}

func joins(t *testing.T, p *project) {
	f := newFork(t, p)
	theirs := f.wantDifferent(t, f.base, f.theirs, "-dir/gone +theirs")
	made := f.join(t,
		vcs.JoinedFile{Path: theirs[1].Path, Blob: theirs[1].After},
		vcs.JoinedFile{Path: theirs[0].Path},
		vcs.JoinedFile{Path: core.MustPath("both"), Content: []byte("<<<<<<<"), Executable: true},
		vcs.JoinedFile{Path: core.MustPath("new/empty"), Content: []byte{}},
	)
	if made.FilesChanged != 4 || made.Message != "join" {
		t.Errorf("got %+v, want four files that differ from ours", made)
	}
	f.wantDifferent(t, f.ours, made.ID, "*both -dir/gone +new/empty +theirs")
	whole := f.wantDifferent(t, "", made.ID, "+both +new/empty +ours +theirs")
	if !whole[0].After.Executable || whole[3].After.Executable {
		t.Errorf("got %+v, want only the file that was to be executable", whole)
	}
	for i, want := range []string{"<<<<<<<", "", "1", "1"} {
		if got, err := f.repo.Content(t.Context(), f.id, *whole[i].After, 100); err != nil || string(got) != want {
			t.Errorf("%s: got %q, %v, want %q", whole[i].Path, got, err, want)
		}
	}
	log, err := f.repo.Log(t.Context(), f.id, "", 10)
	conformance.Must(t, err)
	if !slices.ContainsFunc(log, func(v core.Version) bool { return v.ID == f.theirs }) || log[0].ID != made.ID {
		t.Errorf("got %+v, want both lines, the join first", log)
	}
}

func joinsNothing(t *testing.T, p *project) {
	f := newFork(t, p)
	if made := f.join(t, vcs.JoinedFile{Path: core.MustPath("ours"), Content: []byte("1")}); made.FilesChanged != 0 {
		t.Errorf("got %d changed files, want none", made.FilesChanged)
	}
	f.wantNothingStaged(t)
}

func joinRefusals(t *testing.T, p *project) {
	f := newFork(t, p)
	missing := vcs.JoinedFile{Path: core.MustPath("a"), Blob: &vcs.Blob{ID: strings.Repeat("0", 40)}}
	for what, join := range map[string]vcs.Join{
		"unknown ours":      {Ours: strings.Repeat("0", 40), Theirs: f.theirs},
		"unknown theirs":    {Ours: f.ours, Theirs: "main"},
		"a missing content": {Ours: f.ours, Theirs: f.theirs, Files: []vcs.JoinedFile{missing}},
	} {
		join.Commit = commitNamed("join")
		_, err := f.repo.Join(t.Context(), f.id, join)
		conformance.WantCode(t, what, err, core.CodeNotFound)
	}
}

func joinsEndedContext(t *testing.T, p *project) {
	f := newFork(t, p)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.repo.Base(ctx, f.id, f.ours, f.theirs); err == nil {
		t.Error("base: got nil, want an error")
	}
	if _, err := f.repo.Join(ctx, f.id, vcs.Join{Ours: f.ours, Theirs: f.theirs, Commit: commitNamed("join")}); err == nil {
		t.Error("join: got nil, want an error")
	}
}
