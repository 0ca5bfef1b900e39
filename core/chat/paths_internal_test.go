package chat

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestThePathsOfARunAreBoundedAndCoverAllThatItChanged(t *testing.T) {
	var many []core.ProjectPath
	for i := range 3000 {
		many = append(many, core.MustPath(fmt.Sprintf("top/d%d/e%d/f%d", i%3, i%100, i)))
	}
	got := pathUnion(many, []core.ProjectPath{core.MustPath("a/b"), core.MustPath("a/b")})
	if len(got) != 301 || !slices.Contains(got, core.MustPath("a/b")) {
		t.Errorf("got %d paths, want the 300 directories, and the path that is less deep once", len(got))
	}
	for _, path := range many {
		if !containsPath(got, path) {
			t.Fatalf("got %v, want %s covered", got, path)
		}
	}
	if !slices.IsSortedFunc(got, func(a, b core.ProjectPath) int { return strings.Compare(a.String(), b.String()) }) {
		t.Errorf("got %v, want them sorted", got)
	}
}

func TestFilesAtTheTopAreNeverGivenUpForTheRoot(t *testing.T) {
	var many []core.ProjectPath
	for i := range maxChangedPaths + 5 {
		many = append(many, core.MustPath(fmt.Sprint("f", i)))
	}
	if got := pathUnion(nil, many); len(got) != len(many) {
		t.Errorf("got %d paths, want all %d: what people edited beside them is not the run's", len(got), len(many))
	}
}
