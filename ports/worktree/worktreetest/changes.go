package worktreetest

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

func changeClauses() []clause {
	return []clause{
		{"a write makes the directories above it", writeMakesParents},
		{"a write says whether it created the file", writeSaysCreated},
		{"two contents of one file differ in their times", timesDiffer},
		{"a directory or a file in the way is a conflict", conflicts},
		{"the root cannot be changed", rootStays},
		{"a rename moves a file, replacing another", renamesFile},
		{"a rename moves a directory with all in it", renamesDirectory},
		{"a rename refuses what it cannot do", renameRefusals},
		{"a delete removes a file or a whole directory", deletes},
		{"a batch is carried out in order, with a result for each", batchInOrder},
		{"a failed change leaves the others done", batchGoesOn},
		{"a large batch over many directories is whole", largeBatch},
		{"a change is not bound to the caller's slice", copiesContent},
		{"writers at once never tear a file", neverTears},
	}
}

func writeMakesParents(t *testing.T, h Harness) {
	tree := Create(t, h, core.NewID())
	deep := strings.Repeat("d/", 100) + "f"
	WriteFile(t, tree, deep, "deep")
	wantContent(t, tree, deep, "deep")
	long := strings.Repeat(strings.Repeat("x", 255)+"/", 3) + strings.Repeat("y", 255)
	WriteFile(t, tree, long, "long")
	wantContent(t, tree, long, "long")
}

func writeSaysCreated(t *testing.T, h Harness) {
	tree := Create(t, h, core.NewID())
	for i, want := range []bool{true, false, false} {
		result := tree.Apply(t.Context(), []core.FileChange{Writing("a/b.txt", fmt.Sprint(i))})[0]
		if result.Err != nil || result.Created != want {
			t.Errorf("write %d: got created %v, %v, want %v", i, result.Created, result.Err, want)
		}
	}
}

func timesDiffer(t *testing.T, h Harness) {
	tree := Create(t, h, core.NewID())
	last := WriteFile(t, tree, "a.txt", "00").ModifiedNano
	for i := range 50 {
		info := WriteFile(t, tree, "a.txt", fmt.Sprintf("%02d", i))
		if info.ModifiedNano <= last {
			t.Fatalf("write %d: got the time %d, want one after %d", i, info.ModifiedNano, last)
		}
		last = info.ModifiedNano
	}
	for i := range 20 {
		tree.Apply(t.Context(), []core.FileChange{Deleting("a.txt")})
		info := WriteFile(t, tree, "a.txt", fmt.Sprintf("%02d", i))
		if info.ModifiedNano <= last {
			t.Fatalf("write %d behind a delete: got the time %d, want one after %d", i, info.ModifiedNano, last)
		}
		last = info.ModifiedNano
	}
}

func conflicts(t *testing.T, h Harness) {
	tree := Create(t, h, core.NewID())
	WriteFile(t, tree, "dir/file", "x")
	for _, path := range []string{"dir", "dir/file/below", "dir/file/below/deeper"} {
		result := tree.Apply(t.Context(), []core.FileChange{Writing(path, "y")})[0]
		conformance.WantCode(t, "a write to "+path, result.Err, core.CodeConflict)
	}
	wantContent(t, tree, "dir/file", "x")
	wantPaths(t, tree, "dir/file")
}

func rootStays(t *testing.T, h Harness) {
	tree := Create(t, h, core.NewID())
	WriteFile(t, tree, "a", "a")
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
	wantContent(t, tree, "a", "a")
}

func renamesFile(t *testing.T, h Harness) {
	tree := Create(t, h, core.NewID())
	written := WriteFile(t, tree, "a.txt", "a")
	result := tree.Apply(t.Context(), []core.FileChange{Renaming("a.txt", "new/dir/b.txt")})[0]
	written.Path = core.MustPath("new/dir/b.txt")
	if result.Err != nil || !result.Created || result.Info != written {
		t.Errorf("got %+v, want created and %+v", result, written)
	}
	WriteFile(t, tree, "c.txt", "c")
	result = tree.Apply(t.Context(), []core.FileChange{Renaming("c.txt", "new/dir/b.txt")})[0]
	if result.Err != nil || result.Created {
		t.Errorf("over a file: got %+v, want not created", result)
	}
	wantContent(t, tree, "new/dir/b.txt", "c")
	wantPaths(t, tree, "new/dir/b.txt")
	result = tree.Apply(t.Context(), []core.FileChange{Renaming("new/dir/b.txt", "new/dir/b.txt")})[0]
	if result.Err != nil {
		t.Errorf("onto itself: got %v, want nil", result.Err)
	}
	wantContent(t, tree, "new/dir/b.txt", "c")
}

func renamesDirectory(t *testing.T, h Harness) {
	tree := Create(t, h, core.NewID())
	WriteFile(t, tree, "old/a", "a")
	WriteFile(t, tree, "old/sub/b", "b")
	WriteFile(t, tree, "older", "stays")
	result := tree.Apply(t.Context(), []core.FileChange{Renaming("old", "x/new")})[0]
	if result.Err != nil || !result.Info.Dir || result.Info.Path.String() != "x/new" || !result.Created {
		t.Errorf("got %+v, want the directory x/new", result)
	}
	wantPaths(t, tree, "older", "x/new/a", "x/new/sub/b")
	_, err := tree.Stat(t.Context(), core.MustPath("old"))
	conformance.WantCode(t, "the old path", err, core.CodeNotFound)
}

func renameRefusals(t *testing.T, h Harness) {
	tree := Create(t, h, core.NewID())
	WriteFile(t, tree, "file", "file")
	WriteFile(t, tree, "dir/a", "a")
	WriteFile(t, tree, "other/b", "b")
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
		result := tree.Apply(t.Context(), []core.FileChange{Renaming(c.from, c.to)})[0]
		conformance.WantCode(t, c.from+" to "+c.to, result.Err, c.want)
	}
	wantPaths(t, tree, "dir/a", "file", "other/b")
	_, err := tree.Stat(t.Context(), core.MustPath("dir/sub"))
	conformance.WantCode(t, "a directory for a refused rename", err, core.CodeNotFound)
}

func deletes(t *testing.T, h Harness) {
	tree := Create(t, h, core.NewID())
	for _, name := range []string{"a", "dir/b", "dir/sub/c", "directory"} {
		WriteFile(t, tree, name, name)
	}
	for _, c := range []struct {
		path string
		want core.Code
	}{
		{"a", ""}, {"a", core.CodeNotFound}, {"dir", ""}, {"dir", core.CodeNotFound},
		{"dir/sub/c", core.CodeNotFound}, {"directory/x", core.CodeNotFound},
	} {
		result := tree.Apply(t.Context(), []core.FileChange{Deleting(c.path)})[0]
		conformance.WantCode(t, "deleting "+c.path, result.Err, c.want)
	}
	wantPaths(t, tree, "directory")
	WriteFile(t, tree, "dir", "now a file")
	wantContent(t, tree, "dir", "now a file")
}

func batchInOrder(t *testing.T, h Harness) {
	tree := Create(t, h, core.NewID())
	WriteFile(t, tree, "dir/old", "old")
	changes := []core.FileChange{
		Writing("a", "1"),
		Renaming("a", "dir/b"),
		Writing("a", "2"),
		Writing("a", "3"),
		Renaming("dir", "moved"),
		Writing("dir/c", "4"),
		Deleting("moved/old"),
		Writing("moved/old/now/deeper", "5"),
		Deleting("moved/old"),
		Writing("moved/d", "6"),
	}
	for i, result := range tree.Apply(t.Context(), changes) {
		if result.Err != nil {
			t.Errorf("change %d: got %v, want nil", i, result.Err)
		}
	}
	wantPaths(t, tree, "a", "dir/c", "moved/b", "moved/d")
	wantContent(t, tree, "a", "3")
	wantContent(t, tree, "dir/c", "4")
	wantContent(t, tree, "moved/b", "1")
	wantContent(t, tree, "moved/d", "6")
}

func batchGoesOn(t *testing.T, h Harness) {
	tree := Create(t, h, core.NewID())
	WriteFile(t, tree, "dir/x", "x")
	results := tree.Apply(t.Context(), []core.FileChange{
		Writing("a", "a"), Writing("dir", "no"), Deleting("absent"), Writing("b", "b"), Renaming("absent", "c"),
	})
	for i, want := range []core.Code{"", core.CodeConflict, core.CodeNotFound, "", core.CodeNotFound} {
		conformance.WantCode(t, fmt.Sprint("change ", i), results[i].Err, want)
	}
	wantPaths(t, tree, "a", "b", "dir/x")
	if none := tree.Apply(t.Context(), nil); len(none) != 0 {
		t.Errorf("no changes: got %d results, want none", len(none))
	}
}

func largeBatch(t *testing.T, h Harness) {
	tree := Create(t, h, core.NewID())
	var changes []core.FileChange
	for i := range 300 {
		changes = append(changes, Writing(fmt.Sprintf("dir%03d/sub/file", i), fmt.Sprint(i)))
	}
	for i, result := range tree.Apply(t.Context(), changes) {
		if result.Err != nil || !result.Created || result.Info.Path != changes[i].Path {
			t.Fatalf("change %d: got %+v, want it created", i, result)
		}
	}
	for i, change := range changes {
		wantContent(t, tree, change.Path.String(), fmt.Sprint(i))
	}
}

func copiesContent(t *testing.T, h Harness) {
	tree := Create(t, h, core.NewID())
	content := []byte("before")
	tree.Apply(t.Context(), []core.FileChange{{Op: core.OpWrite, Path: core.MustPath("a"), Content: content}})
	copy(content, "after!")
	wantContent(t, tree, "a", "before")
}

// neverTears lets readers watch files that several writers replace, rename
// and delete. Every content carries its own hash.
func neverTears(t *testing.T, h Harness) {
	const writers, rounds = 4, 25
	tree := Create(t, h, core.NewID())
	WriteFile(t, tree, "shared", hashed("start"))
	stop := make(chan struct{})
	var reading, writing sync.WaitGroup
	for range 2 {
		reading.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					checkWhole(t, tree)
				}
			}
		})
	}
	for w := range writers {
		writing.Go(func() {
			for i := range rounds {
				own := fmt.Sprintf("own/%d", w)
				body := hashed(strings.Repeat(fmt.Sprint(w, i, " "), 5000))
				for _, result := range tree.Apply(t.Context(), []core.FileChange{
					Writing("shared", body), Writing(own, body), Renaming(own, "shared"),
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
	wantPaths(t, tree, "shared")
}

func checkWhole(t *testing.T, tree worktree.Tree) {
	file, err := tree.Open(t.Context(), core.MustPath("shared"))
	if err != nil {
		t.Errorf("reader: got %v, want a file", err)
		return
	}
	defer file.Close()
	content, err := io.ReadAll(file)
	if err != nil || !whole(string(content)) {
		t.Errorf("reader: got %d torn bytes, %v, want a whole content", len(content), err)
	}
}

// hashed returns a content that whole recognises.
func hashed(body string) string {
	sum := sha256.Sum256([]byte(body))
	return hex.EncodeToString(sum[:]) + body
}

func whole(content string) bool {
	return len(content) >= 64 && hashed(content[64:]) == content
}
