package porttest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/worktree"
)

func treeChangeClauses() []worktreeClause {
	return []worktreeClause{
		{"a write makes the directories above it", treeWriteMakesParents},
		{"a write says whether it created the file", treeWriteSaysCreated},
		{"two contents of one file differ in their times", treeTimesDiffer},
		{"a directory or a file in the way is a conflict", treeConflicts},
		{"the root cannot be changed", treeRootStays},
		{"a rename moves a file, replacing another", treeRenamesFile},
		{"a rename moves a directory with all in it", treeRenamesDirectory},
		{"a rename refuses what it cannot do", treeRenameRefusals},
		{"a delete removes a file or a whole directory", treeDeletes},
		{"a batch is carried out in order, with a result for each", treeBatchInOrder},
		{"a failed change leaves the others done", treeBatchGoesOn},
		{"a large batch over many directories is whole", treeLargeBatch},
		{"a change is not bound to the caller's slice", treeCopiesContent},
		{"writers at once never tear a file", treeNeverTears},
	}
}

func treeWriteMakesParents(t *testing.T, h WorktreeHarness) {
	tree := treeOf(t, h, core.NewID())
	deep := strings.Repeat("d/", 100) + "f"
	treeWrite(t, tree, deep, "deep")
	treeWantContent(t, tree, deep, "deep")
	long := strings.Repeat(strings.Repeat("x", 255)+"/", 3) + strings.Repeat("y", 255)
	treeWrite(t, tree, long, "long")
	treeWantContent(t, tree, long, "long")
}

func treeWriteSaysCreated(t *testing.T, h WorktreeHarness) {
	tree := treeOf(t, h, core.NewID())
	for i, want := range []bool{true, false, false} {
		result := tree.Apply(t.Context(), []core.FileChange{treeWriting("a/b.txt", fmt.Sprint(i))})[0]
		if result.Err != nil || result.Created != want {
			t.Errorf("write %d: got created %v, %v, want %v", i, result.Created, result.Err, want)
		}
	}
}

func treeTimesDiffer(t *testing.T, h WorktreeHarness) {
	tree := treeOf(t, h, core.NewID())
	last := treeWrite(t, tree, "a.txt", "00").ModifiedNano
	for i := range 50 {
		info := treeWrite(t, tree, "a.txt", fmt.Sprintf("%02d", i))
		if info.ModifiedNano <= last {
			t.Fatalf("write %d: got the time %d, want one after %d", i, info.ModifiedNano, last)
		}
		last = info.ModifiedNano
	}
	for i := range 20 {
		tree.Apply(t.Context(), []core.FileChange{treeDeleting("a.txt")})
		info := treeWrite(t, tree, "a.txt", fmt.Sprintf("%02d", i))
		if info.ModifiedNano <= last {
			t.Fatalf("write %d behind a delete: got the time %d, want one after %d", i, info.ModifiedNano, last)
		}
		last = info.ModifiedNano
	}
}

func treeConflicts(t *testing.T, h WorktreeHarness) {
	tree := treeOf(t, h, core.NewID())
	treeWrite(t, tree, "dir/file", "x")
	for _, path := range []string{"dir", "dir/file/below", "dir/file/below/deeper"} {
		result := tree.Apply(t.Context(), []core.FileChange{treeWriting(path, "y")})[0]
		conformance.WantCode(t, "a write to "+path, result.Err, core.CodeConflict)
	}
	treeWantContent(t, tree, "dir/file", "x")
	treeWantPaths(t, tree, "dir/file")
}

func treeRootStays(t *testing.T, h WorktreeHarness) {
	tree := treeOf(t, h, core.NewID())
	treeWrite(t, tree, "a", "a")
	root, a := core.ProjectPath{}, core.MustPath("a")
	changes := []core.FileChange{
		{Op: core.OpWrite, Path: root, Content: []byte("x")},
		{Op: core.OpDelete, Path: root},
		{Op: core.OpRename, Path: root, To: core.MustPath("b")},
		{Op: core.OpRename, Path: a, To: root},
	}
	for i, result := range tree.Apply(t.Context(), changes) {
		conformance.WantCode(t, fmt.Sprint("change ", i), result.Err, core.CodeInvalidPath)
	}
	unknown := tree.Apply(t.Context(), []core.FileChange{{Op: "chmod", Path: a}})[0]
	conformance.WantCode(t, "an unknown operation", unknown.Err, core.CodeInvalidRequest)
	treeWantContent(t, tree, "a", "a")
}

func treeRenamesFile(t *testing.T, h WorktreeHarness) {
	tree := treeOf(t, h, core.NewID())
	written := treeWrite(t, tree, "a.txt", "a")
	result := tree.Apply(t.Context(), []core.FileChange{treeRenaming("a.txt", "new/dir/b.txt")})[0]
	written.Path = core.MustPath("new/dir/b.txt")
	if result.Err != nil || !result.Created || result.Info != written {
		t.Errorf("got %+v, want created and %+v", result, written)
	}
	treeWrite(t, tree, "c.txt", "c")
	result = tree.Apply(t.Context(), []core.FileChange{treeRenaming("c.txt", "new/dir/b.txt")})[0]
	if result.Err != nil || result.Created {
		t.Errorf("over a file: got %+v, want not created", result)
	}
	treeWantContent(t, tree, "new/dir/b.txt", "c")
	treeWantPaths(t, tree, "new/dir/b.txt")
	result = tree.Apply(t.Context(), []core.FileChange{treeRenaming("new/dir/b.txt", "new/dir/b.txt")})[0]
	if result.Err != nil {
		t.Errorf("onto itself: got %v, want nil", result.Err)
	}
	treeWantContent(t, tree, "new/dir/b.txt", "c")
}

func treeRenamesDirectory(t *testing.T, h WorktreeHarness) {
	tree := treeOf(t, h, core.NewID())
	treeWrite(t, tree, "old/a", "a")
	treeWrite(t, tree, "old/sub/b", "b")
	treeWrite(t, tree, "older", "stays")
	result := tree.Apply(t.Context(), []core.FileChange{treeRenaming("old", "x/new")})[0]
	if result.Err != nil || !result.Info.Dir || result.Info.Path.String() != "x/new" || !result.Created {
		t.Errorf("got %+v, want the directory x/new", result)
	}
	treeWantPaths(t, tree, "older", "x/new/a", "x/new/sub/b")
	_, err := tree.Stat(t.Context(), core.MustPath("old"))
	conformance.WantCode(t, "the old path", err, core.CodeNotFound)
}

func treeRenameRefusals(t *testing.T, h WorktreeHarness) {
	tree := treeOf(t, h, core.NewID())
	treeWrite(t, tree, "file", "file")
	treeWrite(t, tree, "dir/a", "a")
	treeWrite(t, tree, "other/b", "b")
	for _, c := range []struct {
		from, to string
		want     core.Code
	}{
		{"absent", "x", core.CodeNotFound},
		{"absent/below", "x", core.CodeNotFound},
		{"file/below", "x", core.CodeNotFound},
		{"absent", "file/x", core.CodeNotFound},
		{"file", "dir", core.CodeConflict},
		{"dir", "file", core.CodeConflict},
		{"dir", "other", core.CodeConflict},
		{"dir", "dir", core.CodeConflict},
		{"dir", "dir/a/x", core.CodeConflict},
		{"dir", "dir/sub/x", core.CodeConflict},
		{"file", "file/x", core.CodeConflict},
		{"dir/a", "file/x/y", core.CodeConflict},
	} {
		result := tree.Apply(t.Context(), []core.FileChange{treeRenaming(c.from, c.to)})[0]
		conformance.WantCode(t, c.from+" to "+c.to, result.Err, c.want)
	}
	treeWantPaths(t, tree, "dir/a", "file", "other/b")
	_, err := tree.Stat(t.Context(), core.MustPath("dir/sub"))
	conformance.WantCode(t, "a directory for a refused rename", err, core.CodeNotFound)
}

func treeDeletes(t *testing.T, h WorktreeHarness) {
	tree := treeOf(t, h, core.NewID())
	for _, name := range []string{"a", "dir/b", "dir/sub/c", "directory"} {
		treeWrite(t, tree, name, name)
	}
	for _, c := range []struct {
		path string
		want core.Code
	}{
		{"a", ""}, {"a", core.CodeNotFound}, {"dir", ""}, {"dir", core.CodeNotFound},
		{"dir/sub/c", core.CodeNotFound}, {"directory/x", core.CodeNotFound},
	} {
		result := tree.Apply(t.Context(), []core.FileChange{treeDeleting(c.path)})[0]
		conformance.WantCode(t, "deleting "+c.path, result.Err, c.want)
	}
	treeWantPaths(t, tree, "directory")
	treeWrite(t, tree, "dir", "now a file")
	treeWantContent(t, tree, "dir", "now a file")
}

func treeBatchInOrder(t *testing.T, h WorktreeHarness) {
	tree := treeOf(t, h, core.NewID())
	treeWrite(t, tree, "dir/old", "old")
	changes := []core.FileChange{
		treeWriting("a", "1"),
		treeRenaming("a", "dir/b"),
		treeWriting("a", "2"),
		treeWriting("a", "3"),
		treeRenaming("dir", "moved"),
		treeWriting("dir/c", "4"),
		treeDeleting("moved/old"),
		treeWriting("moved/old/now/deeper", "5"),
		treeDeleting("moved/old"),
		treeWriting("moved/d", "6"),
	}
	for i, result := range tree.Apply(t.Context(), changes) {
		if result.Err != nil {
			t.Errorf("change %d: got %v, want nil", i, result.Err)
		}
	}
	treeWantPaths(t, tree, "a", "dir/c", "moved/b", "moved/d")
	treeWantContent(t, tree, "a", "3")
	treeWantContent(t, tree, "dir/c", "4")
	treeWantContent(t, tree, "moved/b", "1")
	treeWantContent(t, tree, "moved/d", "6")
}

func treeBatchGoesOn(t *testing.T, h WorktreeHarness) {
	tree := treeOf(t, h, core.NewID())
	treeWrite(t, tree, "dir/x", "x")
	results := tree.Apply(t.Context(), []core.FileChange{
		treeWriting("a", "a"), treeWriting("dir", "no"), treeDeleting("absent"), treeWriting("b", "b"), treeRenaming("absent", "c"),
	})
	for i, want := range []core.Code{"", core.CodeConflict, core.CodeNotFound, "", core.CodeNotFound} {
		conformance.WantCode(t, fmt.Sprint("change ", i), results[i].Err, want)
	}
	treeWantPaths(t, tree, "a", "b", "dir/x")
	if none := tree.Apply(t.Context(), nil); len(none) != 0 {
		t.Errorf("no changes: got %d results, want none", len(none))
	}
}

func treeLargeBatch(t *testing.T, h WorktreeHarness) {
	tree := treeOf(t, h, core.NewID())
	var changes []core.FileChange
	for i := range 300 {
		changes = append(changes, treeWriting(fmt.Sprintf("dir%03d/sub/file", i), fmt.Sprint(i)))
	}
	for i, result := range tree.Apply(t.Context(), changes) {
		if result.Err != nil || !result.Created || result.Info.Path != changes[i].Path {
			t.Fatalf("change %d: got %+v, want it created", i, result)
		}
	}
	for i, change := range changes {
		treeWantContent(t, tree, change.Path.String(), fmt.Sprint(i))
	}
}

func treeCopiesContent(t *testing.T, h WorktreeHarness) {
	tree := treeOf(t, h, core.NewID())
	content := []byte("before")
	tree.Apply(t.Context(), []core.FileChange{{Op: core.OpWrite, Path: core.MustPath("a"), Content: content}})
	copy(content, "after!")
	treeWantContent(t, tree, "a", "before")
}

// treeNeverTears lets readers watch files that several writers replace, rename
// and delete. Every content carries its own hash.
func treeNeverTears(t *testing.T, h WorktreeHarness) {
	const writers, rounds = 4, 25
	tree := treeOf(t, h, core.NewID())
	treeWrite(t, tree, "shared", treeHashed("start"))
	stop := make(chan struct{})
	var reading, writing sync.WaitGroup
	for range 2 {
		reading.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					treeCheckWhole(t, tree)
				}
			}
		})
	}
	for w := range writers {
		writing.Go(func() {
			for i := range rounds {
				own := fmt.Sprintf("own/%d", w)
				body := treeHashed(strings.Repeat(fmt.Sprint(w, i, " "), 5000))
				for _, result := range tree.Apply(t.Context(), []core.FileChange{
					treeWriting("shared", body), treeWriting(own, body), treeRenaming(own, "shared"),
				}) {
					if result.Err != nil {
						t.Errorf("writer %d: got %v, want nil", w, result.Err)
					}
				}
			}
		})
	}
	writing.Wait()
	close(stop)
	reading.Wait()
	treeWantPaths(t, tree, "shared")
}

func treeCheckWhole(t *testing.T, tree worktree.Tree) {
	file, err := tree.Open(t.Context(), core.MustPath("shared"))
	if err != nil {
		t.Errorf("reader: got %v, want a file", err)
		return
	}
	defer file.Close()
	content, err := io.ReadAll(file)
	if err != nil || !treeWhole(string(content)) {
		t.Errorf("reader: got %d torn bytes, %v, want a whole content", len(content), err)
	}
}

// treeHashed returns a content that treeWhole recognises.
func treeHashed(body string) string {
	sum := sha256.Sum256([]byte(body))
	return hex.EncodeToString(sum[:]) + body
}

func treeWhole(content string) bool {
	return len(content) >= 64 && treeHashed(content[64:]) == content
}
