package files_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/vcs"
)

var agent = core.Author{Kind: core.AuthorAgent, Name: "Atelier"}

// by applies changes as one of several people, or as the agent.
func (f *fixture) by(author core.Author, changes ...core.FileChange) {
	f.t.Helper()
	_, err := f.pipeline.Apply(f.ctx, f.project, author, changes, nil)
	f.must(err)
}

func named(name string) core.Author { return core.Author{Kind: core.AuthorUser, Name: name} }

func paths(names ...string) []core.ProjectPath {
	var all []core.ProjectPath
	for _, name := range names {
		all = append(all, core.MustPath(name))
	}
	return all
}

// wantLatest compares the latest version with "author message count".
func (f *fixture) wantLatest(author, message string, count int) {
	f.t.Helper()
	versions, err := f.pipeline.Versions(f.ctx, f.project, "", 1)
	f.must(err)
	if v := versions[0]; v.Author.Name != author || v.Message != message || v.FilesChanged != count {
		f.t.Errorf("got %+v, want %q by %s with %d files", v, message, author, count)
	}
}

func TestHandEditsBecomeAVersionOfThosePeople(t *testing.T) {
	f := newFixture(t)
	f.must(f.pipeline.CommitByHand(f.ctx, f.project, nil, nil))
	f.wantLatest("Ann", "First", 2)
	f.by(named("Ann"), write("a", "1"))
	f.by(named("Bob"), write("b", "1"))
	f.by(named("Ann"), write("c", "1"))
	f.by(agent, write("d", "1"))
	f.by(named("Cleo"), remove("none"))
	f.must(f.pipeline.CommitByHand(f.ctx, f.project, paths("a"), nil))
	f.wantLatest("Ann, Bob", files.HandEdits, 1)
	f.must(f.pipeline.CommitByHand(f.ctx, f.project, nil, func(context.Context) ([]core.ProjectPath, error) { return paths("d"), nil }))
	f.wantLatest("Ann, Bob", files.HandEdits, 2)
	f.by(named("Cleo"), write("e", "1"))
	f.must(f.pipeline.CommitByHand(f.ctx, f.project, nil, nil))
	f.wantLatest("Cleo", files.HandEdits, 2)
	f.by(named("Ann"), write("f", "1"))
	f.restart()
	f.must(f.pipeline.CommitByHand(f.ctx, f.project, nil, nil))
	f.wantLatest("Somebody", files.HandEdits, 1)
}

func TestAVersionNamesABoundedNumberOfPeople(t *testing.T) {
	f := newFixture(t)
	for _, name := range strings.Fields("A B C D E F G A") {
		f.by(named(name), write(name, "1"))
	}
	f.must(f.pipeline.CommitByHand(f.ctx, f.project, nil, nil))
	f.wantLatest("A, B, C, D, E", files.HandEdits, 7)
}

func TestABatchsVersionHoldsItsPathsOnly(t *testing.T) {
	f := newFixture(t)
	f.by(named("Bob"), write("mine", "1"))
	changes := []core.FileChange{write("a", "1"), rename("src", "lib"), remove("README.md"), remove("none")}
	_, version, err := f.pipeline.ApplyAndCommit(f.ctx, f.project, changes, vcs.Commit{Message: "Batch"})
	if err != nil || version == nil || version.FilesChanged != 4 {
		t.Errorf("got %+v, %v, want a version of the batch's four paths", version, err)
	}
	f.must(f.pipeline.CommitByHand(f.ctx, f.project, nil, nil))
	f.wantLatest("Bob", files.HandEdits, 1)
}

func TestARevisionIsAVersionOfItsOwn(t *testing.T) {
	f := newFixture(t)
	f.by(named("Bob"), write("mine", "1"))
	plan := func(ctx context.Context, now files.Snapshot) (files.Revision, error) {
		content, found, err := now.Read(ctx, core.MustPath("README.md"))
		if err != nil || !found || string(content) != "hello" {
			t.Errorf("got %q, %v, %v, want the file as it is", content, found, err)
		}
		for path, want := range map[string]bool{"README.md": false, "src": false, "README.md/x": false, "src/new": true, "deep/down/new": true} {
			if vacant, err := now.Vacant(ctx, core.MustPath(path)); err != nil || vacant != want {
				t.Errorf("%s: got vacant %v, %v, want %v", path, vacant, err, want)
			}
		}
		if _, found, err := now.Read(ctx, core.MustPath("src")); err != nil || found {
			t.Errorf("a directory: got found %v, %v, want no file", found, err)
		}
		return files.Revision{Changes: []core.FileChange{write("new", "1"), remove("README.md")}, Commit: vcs.Commit{Message: "Revise", Author: named("Ann")}}, nil
	}
	version, made, err := f.pipeline.Revise(f.ctx, f.project, plan)
	if err != nil || !made || version.FilesChanged != 2 {
		t.Errorf("got %+v, %v, %v, want a version of two files", version, made, err)
	}
	versions, err := f.pipeline.Versions(f.ctx, f.project, "", 2)
	if err != nil || versions[1].Message != files.HandEdits || versions[1].Author.Name != "Bob" {
		t.Errorf("got %+v, %v, want Bob's edits before", versions, err)
	}
}

func TestARevisionWhosePlanFailsChangesNothing(t *testing.T) {
	f := newFixture(t)
	f.by(named("Bob"), write("mine", "1"))
	failure := errors.New("no")
	for _, want := range []error{failure, nil} {
		_, made, err := f.pipeline.Revise(f.ctx, f.project, func(context.Context, files.Snapshot) (files.Revision, error) { return files.Revision{}, want })
		if made || err != want {
			t.Errorf("got made %v, %v, want %v and no version", made, err, want)
		}
	}
	f.wantLatest("Ann", "First", 2)
}

func TestARevisionThatCannotBeMadeIsNoVersion(t *testing.T) {
	f := newFixture(t)
	_, made, err := f.pipeline.Revise(f.ctx, f.project, func(context.Context, files.Snapshot) (files.Revision, error) {
		return files.Revision{Changes: []core.FileChange{write("src", "in the way"), write("new", "1")}}, nil
	})
	if made || !core.IsCode(err, core.CodeConflict) {
		t.Errorf("got made %v, %v, want a conflict", made, err)
	}
	f.wantLatest("Ann", "First", 2)
}
