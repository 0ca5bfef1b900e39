package checkout

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// folder makes a folder without a service.
func folder(t testing.TB) *Folder {
	t.Helper()
	f, err := Create(filepath.Join(t.TempDir(), "project"), Origin{"http://localhost:1", "p"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// version stores a version with these files.
func (f *Folder) version(t testing.TB, contents map[string]string) plumbing.Hash {
	t.Helper()
	files := map[string]file{}
	for path, content := range contents {
		hash, err := f.writeBlob([]byte(content))
		if err != nil {
			t.Fatal(err)
		}
		files[path] = file{hash, filemode.Regular}
	}
	tree, err := f.writeTree(files, "")
	if err != nil {
		t.Fatal(err)
	}
	commit, err := f.writeObject((&object.Commit{TreeHash: tree, Message: "x"}).Encode)
	if err != nil {
		t.Fatal(err)
	}
	return commit
}

// lay makes the files on the disk these.
func (f *Folder) lay(t testing.TB, contents map[string]string) {
	t.Helper()
	for path := range f.laid(t) {
		if err := f.remove(path); err != nil {
			t.Fatal(err)
		}
	}
	for path, content := range contents {
		if err := f.replace(path, []byte(content), filemode.Regular); err != nil {
			t.Fatal(err)
		}
	}
}

// laid are the files on the disk.
func (f *Folder) laid(t testing.TB) map[string]string {
	t.Helper()
	found, _, err := f.scan(nil)
	if err != nil {
		t.Fatal(err)
	}
	contents := map[string]string{}
	for path := range found {
		text, err := f.root.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		contents[path] = string(text)
	}
	return contents
}

// merged brings a version into a folder, as Update does.
func (f *Folder) merged(t testing.TB, base, tip plumbing.Hash) *updatePlan {
	t.Helper()
	plan, err := f.plan(base, tip)
	if err == nil && len(plan.blocked) == 0 {
		err = plan.carryOut()
	}
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func TestAnUpdateTakesBothSides(t *testing.T) {
	type files = map[string]string
	const marked = "<<<<<<< this folder\nmine\n=======\ntheirs\n>>>>>>> the project\n"
	f := folder(t)
	for name, c := range map[string]struct {
		base, mine, theirs, want files
		conflict, blocked        string
	}{
		"only they changed":       {files{"a": "1"}, files{"a": "1"}, files{"a": "2", "d/b": "new"}, files{"a": "2", "d/b": "new"}, "", ""},
		"only I changed":          {files{"a": "1"}, files{"a": "2", "d/b": "new"}, files{"a": "1"}, files{"a": "2", "d/b": "new"}, "", ""},
		"both changed alike":      {files{"a": "1"}, files{"a": "2"}, files{"a": "2"}, files{"a": "2"}, "", ""},
		"both changed other text": {files{"a": "1\n2\n3\n4\n"}, files{"a": "one\n2\n3\n4\n"}, files{"a": "1\n2\n3\nfour\n"}, files{"a": "one\n2\n3\nfour\n"}, "", ""},
		"both changed one line":   {files{"a": "1\n"}, files{"a": "mine\n"}, files{"a": "theirs\n"}, files{"a": marked}, "a", ""},
		"both made one file":      {files{}, files{"a": "mine\n"}, files{"a": "theirs\n"}, files{"a": marked}, "a", ""},
		"both changed a picture":  {files{"a.png": "\x00"}, files{"a.png": "\x001"}, files{"a.png": "\x002"}, files{"a.png": "\x001", "a.theirs.png": "\x002"}, "a.png", ""},
		"they removed mine":       {files{"a": "1"}, files{"a": "2"}, files{}, files{"a": "2"}, "a", ""},
		"I removed theirs":        {files{"a": "1"}, files{}, files{"a": "2"}, files{"a": "2"}, "a", ""},
		"they removed the same":   {files{"d/a": "1"}, files{}, files{}, files{}, "", ""},
		"a file became a folder":  {files{"a": "1"}, files{"a": "1"}, files{"a/b": "2"}, files{"a/b": "2"}, "", ""},
		"a folder became a file":  {files{"a/b": "1"}, files{"a/b": "1"}, files{"a": "2"}, files{"a": "2"}, "", ""},
		"mine is above theirs":    {files{}, files{"a": "mine"}, files{"a/b": "2"}, files{"a": "mine"}, "", "a/b"},
		"mine is below theirs":    {files{}, files{"a/b": "mine"}, files{"a": "2"}, files{"a/b": "mine"}, "", "a"},
	} {
		t.Run(name, func(t *testing.T) {
			base, tip := f.version(t, c.base), f.version(t, c.theirs)
			f.lay(t, c.mine)
			plan := f.merged(t, base, tip)
			if got := f.laid(t); !maps.Equal(got, c.want) {
				t.Errorf("got the files %q, want %q", got, c.want)
			}
			if got := strings.Join(plan.conflicts, " "); got != c.conflict {
				t.Errorf("got the conflicts %q, want %q", got, c.conflict)
			}
			if got := strings.Join(plan.blocked, " "); got != c.blocked {
				t.Errorf("got %q blocked, want %q", got, c.blocked)
			}
		})
	}
}

// TestNoLineOfEitherSideIsLost changes texts at random on both sides.
func TestNoLineOfEitherSideIsLost(t *testing.T) {
	f, random := folder(t), rand.New(rand.NewPCG(1, 2))
	for round := range 25 {
		base, mine, theirs := map[string]string{}, map[string]string{}, map[string]string{}
		for i := range 6 {
			path := fmt.Sprintf("d%d/f%d", i%2, i)
			text := strings.Repeat("same\n", 1+random.IntN(4))
			base[path] = text
			for side, files := range map[string]map[string]string{"mine": mine, "theirs": theirs} {
				if files[path] = text; random.IntN(2) == 0 {
					files[path] = fmt.Sprintf("%s%s %d %d\n%s", text[:5], side, round, i, text[5:])
				}
			}
		}
		baseVersion, tip := f.version(t, base), f.version(t, theirs)
		f.lay(t, mine)
		f.merged(t, baseVersion, tip)
		all := strings.Join(mapValues(f.laid(t)), "")
		for _, side := range []map[string]string{mine, theirs} {
			for path, text := range side {
				for line := range strings.Lines(text) {
					if !strings.Contains(all, line) {
						t.Fatalf("round %d: the line %q of %s is lost", round, line, path)
					}
				}
			}
		}
	}
}

func mapValues(of map[string]string) []string {
	var all []string
	for _, value := range of {
		all = append(all, value)
	}
	return all
}

func TestWhatIsChangedDuringAnUpdateStays(t *testing.T) {
	f := folder(t)
	base, tip := f.version(t, map[string]string{"a": "1"}), f.version(t, map[string]string{"a": "2"})
	f.lay(t, map[string]string{"a": "1"})
	plan, err := f.plan(base, tip)
	if err != nil {
		t.Fatal(err)
	}
	f.lay(t, map[string]string{"a": "saved meanwhile"})
	var conflict *Conflict
	if err := plan.carryOut(); !errors.As(err, &conflict) || f.laid(t)["a"] != "saved meanwhile" {
		t.Errorf("got %v and %q, want a conflict and what was saved", err, f.laid(t))
	}
}

// TestNoProjectWritesOutsideOfItsFolder has versions as only a hostile installation makes them,
// and links in the folder.
func TestNoProjectWritesOutsideOfItsFolder(t *testing.T) {
	f := folder(t)
	for _, path := range []string{"../x", ".git/hooks/post-checkout", ".GIT/config", "a/../../x", "/x", "a\\b"} {
		if _, err := f.plan(plumbing.ZeroHash, f.version(t, map[string]string{path: "x"})); err == nil {
			t.Errorf("%s: got it planned, want it refused", path)
		}
	}
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(f.Dir, "link")); err != nil {
		t.Fatal(err)
	}
	plan, err := f.plan(plumbing.ZeroHash, f.version(t, map[string]string{"link/x": "x"}))
	if err == nil && len(plan.blocked) == 0 {
		_ = plan.carryOut()
		t.Error("got a link followed, want it in the way")
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) > 0 {
		t.Errorf("got %v, %v outside of the folder, want nothing", entries, err)
	}
	if _, skipped, err := f.scan(nil); err != nil || len(skipped) != 1 {
		t.Errorf("got %v, %v skipped, want the link", skipped, err)
	}
}

func TestTrackedFilesAreNeverIgnored(t *testing.T) {
	f := folder(t)
	f.lay(t, map[string]string{".gitignore": "*.log\n/dist/\n!keep.log\n", "a.log": "x", "keep.log": "x", "d/b.log": "x", "dist/old.js": "x", "dist/new.js": "x", "node_modules/m": "x"})
	found, _, err := f.scan(map[string]file{"dist/old.js": {}, "gone": {}})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, change := range differences(map[string]file{}, found) {
		names = append(names, change.Path)
	}
	if got := strings.Join(names, " "); got != ".gitignore dist/old.js keep.log" {
		t.Errorf("got %q, want what is not ignored and what is tracked", got)
	}
}
