package vcstest

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

func partClauses() []clause {
	return []clause{
		{"a version of some paths leaves the rest staged", commitsPart},
		{"a version of a part takes both paths of a rename", commitsPartOfRename},
		{"a version of a part takes deleted files", commitsPartOfDelete},
		{"a path covers everything below it, and nothing beside it", commitsDirectory},
		{"nothing staged at the paths makes no version", commitsNoPart},
		{"what a version leaves out stays staged", commitsExcept},
		{"a file that is taken takes along what was in its way", commitsInTheWay},
		{"a part can be the first version", commitsFirstPart},
	}
}

func changesClauses() []clause {
	return []clause{
		{"the changes of a version have the contents before and after", showsChanges},
		{"the changes of the first version are its files", showsFirst},
		{"the changes of a version that is not there are not found", showsUnknown},
		{"a version that changed too much is not shown", showsTooMuch},
	}
}

func pathsOf(names ...string) []core.ProjectPath {
	paths := []core.ProjectPath{}
	for _, name := range names {
		paths = append(paths, core.MustPath(name))
	}
	return paths
}

// commitPart makes a version of some paths. It returns what the version changed as
// "path=content" words, a path alone for a file that has gone, "" for no version.
func (p *project) commitPart(t *testing.T, paths, except []core.ProjectPath) string {
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
func (p *project) changed(t *testing.T, version string) string {
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

func commitsPart(t *testing.T, p *project) {
	p.save(t, worktreetest.Writing("a", "1"), worktreetest.Writing("d/b", "1"), worktreetest.Writing("d/c", "1"), worktreetest.Writing("e", "1"))
	p.commit(t, "one")
	p.save(t, worktreetest.Writing("a", "2"), worktreetest.Writing("d/b", "2"), worktreetest.Writing("d/c", "2"), worktreetest.Writing("f/g/h", "2"), worktreetest.Deleting("e"))
	wantPart(t, p.commitPart(t, pathsOf("d/b", "f/g/h"), nil), "d/b=2 f/g/h=2")
	p.wantStaged(t)
	p.save(t, worktreetest.Writing("d/b", "3"))
	wantPart(t, p.commitPart(t, nil, nil), "a=2 d/b=3 d/c=2 e")
	p.wantNothingStaged(t)
}

func commitsPartOfRename(t *testing.T, p *project) {
	p.save(t, worktreetest.Writing("old/a", "1"), worktreetest.Writing("old/b", "2"), worktreetest.Writing("x", "3"))
	p.commit(t, "one")
	p.save(t, worktreetest.Renaming("old", "new"), worktreetest.Renaming("x", "y"), worktreetest.Writing("mine", "4"))
	wantPart(t, p.commitPart(t, pathsOf("old", "new"), nil), "new/a=1 new/b=2 old/a old/b")
	wantPart(t, p.commitPart(t, pathsOf("y"), nil), "y=3")
	wantPart(t, p.commitPart(t, nil, nil), "mine=4 x")
}

func commitsPartOfDelete(t *testing.T, p *project) {
	p.save(t, worktreetest.Writing("a", "1"), worktreetest.Writing("b", "2"), worktreetest.Writing("d/c", "3"), worktreetest.Writing("d/e", "4"))
	p.commit(t, "one")
	p.save(t, worktreetest.Deleting("a"), worktreetest.Deleting("b"), worktreetest.Deleting("d"))
	wantPart(t, p.commitPart(t, pathsOf("a", "d/c"), nil), "a d/c")
	p.wantStaged(t)
	wantPart(t, p.commitPart(t, nil, nil), "b d/e")
}

func commitsDirectory(t *testing.T, p *project) {
	p.save(t, worktreetest.Writing("dir/a", "1"), worktreetest.Writing("dir/sub/b", "2"), worktreetest.Writing("dir-c", "3"), worktreetest.Writing("dir.d", "4"), worktreetest.Writing("dir0", "5"))
	wantPart(t, p.commitPart(t, pathsOf("dir"), nil), "dir/a=1 dir/sub/b=2")
	wantPart(t, p.commitPart(t, []core.ProjectPath{{}}, nil), "dir-c=3 dir.d=4 dir0=5")
}

func commitsNoPart(t *testing.T, p *project) {
	p.save(t, worktreetest.Writing("a", "1"), worktreetest.Writing("b", "1"))
	p.commit(t, "one")
	p.save(t, worktreetest.Writing("a", "2"))
	for _, paths := range [][]core.ProjectPath{{}, pathsOf("b"), pathsOf("never/there"), pathsOf("a/below")} {
		wantPart(t, p.commitPart(t, paths, nil), "")
	}
	wantPart(t, p.commitPart(t, nil, pathsOf("a")), "")
	wantPart(t, p.commitPart(t, nil, nil), "a=2")
}

func commitsExcept(t *testing.T, p *project) {
	p.save(t, worktreetest.Writing("a", "1"), worktreetest.Writing("d/b", "1"), worktreetest.Writing("d/c", "1"))
	p.commit(t, "one")
	p.save(t, worktreetest.Writing("a", "2"), worktreetest.Writing("d/b", "2"), worktreetest.Deleting("d/c"), worktreetest.Writing("n", "2"))
	wantPart(t, p.commitPart(t, pathsOf("a", "d"), pathsOf("d/b")), "a=2 d/c")
	wantPart(t, p.commitPart(t, nil, pathsOf("d")), "n=2")
	wantPart(t, p.commitPart(t, nil, nil), "d/b=2")
}

func commitsInTheWay(t *testing.T, p *project) {
	p.save(t, worktreetest.Writing("x", "file"), worktreetest.Writing("y/a", "1"), worktreetest.Writing("y/b", "1"), worktreetest.Writing("z", "1"))
	p.commit(t, "one")
	p.save(t, worktreetest.Deleting("x"), worktreetest.Writing("x/deep", "2"), worktreetest.Deleting("y"), worktreetest.Writing("y", "2"), worktreetest.Writing("z", "2"))
	wantPart(t, p.commitPart(t, pathsOf("x/deep"), nil), "x x/deep=2")
	wantPart(t, p.commitPart(t, pathsOf("y"), pathsOf("y/a")), "y=2 y/a y/b")
	p.save(t, worktreetest.Deleting("y"), worktreetest.Writing("y/c", "3"))
	wantPart(t, p.commitPart(t, pathsOf("z"), nil), "z=2")
	wantPart(t, p.commitPart(t, nil, nil), "y y/c=3")
	p.wantNothingStaged(t)
}

func commitsFirstPart(t *testing.T, p *project) {
	p.save(t, worktreetest.Writing("a", "1"), worktreetest.Writing("b", "2"))
	wantPart(t, p.commitPart(t, pathsOf("none"), nil), "")
	wantPart(t, p.commitPart(t, pathsOf("b"), nil), "b=2")
	wantPart(t, p.commitPart(t, nil, nil), "a=1")
}

func showsChanges(t *testing.T, p *project) {
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

func showsFirst(t *testing.T, p *project) {
	p.save(t, worktreetest.Writing("a", "1"), worktreetest.Writing("d/b", "2"))
	wantPart(t, p.changed(t, p.commit(t, "one").ID), "a=1 d/b=2")
}

func showsUnknown(t *testing.T, p *project) {
	p.save(t, worktreetest.Writing("a", "a"))
	id := p.commit(t, "one").ID
	for _, version := range []string{"", strings.Repeat("0", 40), strings.Repeat("ab", 20), "HEAD", id[:10], id + "0", "../../HEAD", "--all"} {
		_, _, err := p.repo.Changes(t.Context(), p.id, version)
		conformance.WantCode(t, version, err, core.CodeNotFound)
	}
}

func showsTooMuch(t *testing.T, p *project) {
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
