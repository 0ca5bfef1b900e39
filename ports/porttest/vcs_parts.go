package porttest

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree/worktreetest"
)

func vcsPartClauses() []vcsClause {
	return []vcsClause{
		{"a version of some paths leaves the rest staged", vcsCommitsPart},
		{"a version of a part takes both paths of a rename", vcsCommitsPartOfRename},
		{"a version of a part takes deleted files", vcsCommitsPartOfDelete},
		{"a path stands for all below it, and for nothing beside it", vcsCommitsDirectory},
		{"nothing staged at the paths makes no version", vcsCommitsNoPart},
		{"what a version leaves out stays staged", vcsCommitsExcept},
		{"a file that is taken takes along what was in its way", vcsCommitsInTheWay},
		{"a part can be the first version", vcsCommitsFirstPart},
	}
}

func vcsChangesClauses() []vcsClause {
	return []vcsClause{
		{"the changes of a version have the contents before and after", vcsShowsChanges},
		{"the changes of the first version are its files", vcsShowsFirst},
		{"the changes of a version that is not there are not found", vcsShowsUnknown},
		{"a version that changed too much is not shown", vcsShowsTooMuch},
	}
}

func vcsPaths(names ...string) []core.ProjectPath {
	paths := []core.ProjectPath{}
	for _, name := range names {
		paths = append(paths, core.MustPath(name))
	}
	return paths
}

// commitPart makes a version of some paths. It returns what the version changed as
// "path=content" words, a path alone for a file that has gone, "" for no version.
func (p *vcsProject) commitPart(t *testing.T, paths, except []core.ProjectPath) string {
	t.Helper()
	asked := vcs.Commit{Message: "part", Author: core.Author{Kind: core.AuthorUser, Name: "Ann"}, At: 1000, Paths: paths, Except: except}
	version, made, err := p.repo.Commit(t.Context(), p.id, asked)
	conformance.Must(t, err)
	if !made {
		return ""
	}
	words := p.changed(t, version.ID)
	if version.FilesChanged != len(strings.Fields(words)) {
		t.Errorf("got %d files changed, want those of %q", version.FilesChanged, words)
	}
	return words
}

// changed returns what a version changed, as commitPart does.
func (p *vcsProject) changed(t *testing.T, version string) string {
	t.Helper()
	_, changes, err := p.repo.Changes(t.Context(), p.id, version)
	conformance.Must(t, err)
	var words []string
	for _, change := range changes {
		word := change.Path.String()
		if change.After != nil {
			word += "=" + string(change.After)
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func wantPart(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got the version %q, want %q", got, want)
	}
}

func vcsCommitsPart(t *testing.T, p *vcsProject) {
	p.save(t, worktreetest.Writing("a", "1"), worktreetest.Writing("d/b", "1"), worktreetest.Writing("d/c", "1"), worktreetest.Writing("e", "1"))
	p.commit(t, "one")
	p.save(t, worktreetest.Writing("a", "2"), worktreetest.Writing("d/b", "2"), worktreetest.Writing("d/c", "2"), worktreetest.Writing("f/g/h", "2"), worktreetest.Deleting("e"))
	wantPart(t, p.commitPart(t, vcsPaths("d/b", "f/g/h"), nil), "d/b=2 f/g/h=2")
	p.wantStaged(t)
	p.save(t, worktreetest.Writing("d/b", "3"))
	wantPart(t, p.commitPart(t, nil, nil), "a=2 d/b=3 d/c=2 e")
	p.wantNothingStaged(t)
}

func vcsCommitsPartOfRename(t *testing.T, p *vcsProject) {
	p.save(t, worktreetest.Writing("old/a", "1"), worktreetest.Writing("old/b", "2"), worktreetest.Writing("x", "3"))
	p.commit(t, "one")
	p.save(t, worktreetest.Renaming("old", "new"), worktreetest.Renaming("x", "y"), worktreetest.Writing("mine", "4"))
	wantPart(t, p.commitPart(t, vcsPaths("old", "new"), nil), "new/a=1 new/b=2 old/a old/b")
	wantPart(t, p.commitPart(t, vcsPaths("y"), nil), "y=3")
	wantPart(t, p.commitPart(t, nil, nil), "mine=4 x")
}

func vcsCommitsPartOfDelete(t *testing.T, p *vcsProject) {
	p.save(t, worktreetest.Writing("a", "1"), worktreetest.Writing("b", "2"), worktreetest.Writing("d/c", "3"), worktreetest.Writing("d/e", "4"))
	p.commit(t, "one")
	p.save(t, worktreetest.Deleting("a"), worktreetest.Deleting("b"), worktreetest.Deleting("d"))
	wantPart(t, p.commitPart(t, vcsPaths("a", "d/c"), nil), "a d/c")
	p.wantStaged(t)
	wantPart(t, p.commitPart(t, nil, nil), "b d/e")
}

func vcsCommitsDirectory(t *testing.T, p *vcsProject) {
	p.save(t, worktreetest.Writing("dir/a", "1"), worktreetest.Writing("dir/sub/b", "2"), worktreetest.Writing("dir-c", "3"), worktreetest.Writing("dir.d", "4"), worktreetest.Writing("dir0", "5"))
	wantPart(t, p.commitPart(t, vcsPaths("dir"), nil), "dir/a=1 dir/sub/b=2")
	wantPart(t, p.commitPart(t, []core.ProjectPath{{}}, nil), "dir-c=3 dir.d=4 dir0=5")
}

func vcsCommitsNoPart(t *testing.T, p *vcsProject) {
	p.save(t, worktreetest.Writing("a", "1"), worktreetest.Writing("b", "1"))
	p.commit(t, "one")
	p.save(t, worktreetest.Writing("a", "2"))
	for _, paths := range [][]core.ProjectPath{{}, vcsPaths("b"), vcsPaths("never/there"), vcsPaths("a/below")} {
		wantPart(t, p.commitPart(t, paths, nil), "")
	}
	wantPart(t, p.commitPart(t, nil, vcsPaths("a")), "")
	wantPart(t, p.commitPart(t, nil, nil), "a=2")
}

func vcsCommitsExcept(t *testing.T, p *vcsProject) {
	p.save(t, worktreetest.Writing("a", "1"), worktreetest.Writing("d/b", "1"), worktreetest.Writing("d/c", "1"))
	p.commit(t, "one")
	p.save(t, worktreetest.Writing("a", "2"), worktreetest.Writing("d/b", "2"), worktreetest.Deleting("d/c"), worktreetest.Writing("n", "2"))
	wantPart(t, p.commitPart(t, vcsPaths("a", "d"), vcsPaths("d/b")), "a=2 d/c")
	wantPart(t, p.commitPart(t, nil, vcsPaths("d")), "n=2")
	wantPart(t, p.commitPart(t, nil, nil), "d/b=2")
}

func vcsCommitsInTheWay(t *testing.T, p *vcsProject) {
	p.save(t, worktreetest.Writing("x", "file"), worktreetest.Writing("y/a", "1"), worktreetest.Writing("y/b", "1"), worktreetest.Writing("z", "1"))
	p.commit(t, "one")
	p.save(t, worktreetest.Deleting("x"), worktreetest.Writing("x/deep", "2"), worktreetest.Deleting("y"), worktreetest.Writing("y", "2"), worktreetest.Writing("z", "2"))
	wantPart(t, p.commitPart(t, vcsPaths("x/deep"), nil), "x x/deep=2")
	wantPart(t, p.commitPart(t, vcsPaths("y"), vcsPaths("y/a")), "y=2 y/a y/b")
	p.save(t, worktreetest.Deleting("y"), worktreetest.Writing("y/c", "3"))
	wantPart(t, p.commitPart(t, vcsPaths("z"), nil), "z=2")
	wantPart(t, p.commitPart(t, nil, nil), "y y/c=3")
	p.wantNothingStaged(t)
}

func vcsCommitsFirstPart(t *testing.T, p *vcsProject) {
	p.save(t, worktreetest.Writing("a", "1"), worktreetest.Writing("b", "2"))
	wantPart(t, p.commitPart(t, vcsPaths("none"), nil), "")
	wantPart(t, p.commitPart(t, vcsPaths("b"), nil), "b=2")
	wantPart(t, p.commitPart(t, nil, nil), "a=1")
}

func vcsShowsChanges(t *testing.T, p *vcsProject) {
	binary := string([]byte{0, 0xff, '\n'})
	p.save(t, worktreetest.Writing("a", "1"), worktreetest.Writing("bin", binary), worktreetest.Writing("d/gone", ""), worktreetest.Writing("d/same", "same"), worktreetest.Writing("d-", "1"))
	p.commit(t, "one")
	p.save(t, worktreetest.Writing("a", "2"), worktreetest.Deleting("d/gone"), worktreetest.Writing("d/new", ""), worktreetest.Renaming("bin", "c/bin"), worktreetest.Writing("d-", "2"))
	made := p.commit(t, "two")
	want := []vcs.Change{
		{Path: core.MustPath("a"), Before: []byte("1"), After: []byte("2")},
		{Path: core.MustPath("bin"), Before: []byte(binary)},
		{Path: core.MustPath("c/bin"), After: []byte(binary)},
		{Path: core.MustPath("d-"), Before: []byte("1"), After: []byte("2")},
		{Path: core.MustPath("d/gone"), Before: []byte{}},
		{Path: core.MustPath("d/new"), After: []byte{}},
	}
	p.save(t, worktreetest.Writing("a", "3"))
	p.commit(t, "three")
	version, changes, err := p.repo.Changes(t.Context(), p.id, made.ID)
	if err != nil || !reflect.DeepEqual(version, made) || !reflect.DeepEqual(changes, want) {
		t.Errorf("got %+v, %q, %v, want %+v, %q", version, changes, err, made, want)
	}
}

func vcsShowsFirst(t *testing.T, p *vcsProject) {
	p.save(t, worktreetest.Writing("a", "1"), worktreetest.Writing("d/b", "2"))
	wantPart(t, p.changed(t, p.commit(t, "one").ID), "a=1 d/b=2")
}

func vcsShowsUnknown(t *testing.T, p *vcsProject) {
	p.save(t, worktreetest.Writing("a", "a"))
	id := p.commit(t, "one").ID
	for _, version := range []string{"", strings.Repeat("0", 40), strings.Repeat("ab", 20), "HEAD", id[:10], id + "0", "../../HEAD", "--all"} {
		_, _, err := p.repo.Changes(t.Context(), p.id, version)
		conformance.WantCode(t, version, err, core.CodeNotFound)
	}
}

func vcsShowsTooMuch(t *testing.T, p *vcsProject) {
	var changes []core.FileChange
	for i := range vcs.MaxChanges + 1 {
		changes = append(changes, worktreetest.Writing(fmt.Sprintf("d%d/f%d", i%100, i), "x"))
	}
	conformance.Must(t, p.repo.Stage(t.Context(), p.id, changes))
	_, _, err := p.repo.Changes(t.Context(), p.id, p.commit(t, "many").ID)
	conformance.WantCode(t, "one path too many", err, core.CodePayloadTooLarge)
	conformance.Must(t, p.repo.Stage(t.Context(), p.id, []core.FileChange{worktreetest.Deleting("d0/f0")}))
	_, shown, err := p.repo.Changes(t.Context(), p.id, p.commit(t, "one").ID)
	if err != nil || len(shown) != 1 {
		t.Errorf("got %d changes, %v, want the one", len(shown), err)
	}
}
