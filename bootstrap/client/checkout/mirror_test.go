package checkout

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// board is a Project in memory.
type board struct {
	files  map[string]string
	hidden map[string]bool
	reads  int
	// before is called before each change, as if somebody were faster.
	before func(path string)
}

func tagOf(content string) string { return fmt.Sprintf("%q", content) }

func (b *board) List(context.Context) (map[string]string, error) {
	tags := map[string]string{}
	for path, content := range b.files {
		if !b.hidden[path] {
			tags[path] = tagOf(content)
		}
	}
	return tags, nil
}

func (b *board) Read(_ context.Context, path string) ([]byte, string, error) {
	b.reads++
	content, there := b.files[path]
	if !there {
		return nil, "", ErrMissing
	}
	return []byte(content), tagOf(content), nil
}

func (b *board) Write(_ context.Context, path string, content []byte, tag string) (string, error) {
	if strings.HasSuffix(path, ".large") {
		return "", &RefusedError{"too large"}
	}
	if err := b.check(path, tag); err != nil {
		return "", err
	}
	b.files[path] = string(content)
	return tagOf(string(content)), nil
}

func (b *board) Remove(_ context.Context, path, tag string) error {
	if err := b.check(path, tag); err != nil {
		return err
	}
	delete(b.files, path)
	return nil
}

// check compares the tag of a change.
func (b *board) check(path, tag string) error {
	if b.before != nil {
		b.before(path)
	}
	content, there := b.files[path]
	switch {
	case there && tag != tagOf(content):
		return ErrMoved
	case !there && tag != "":
		return ErrMissing
	}
	return nil
}

// mirrored is a folder and a project that begin alike, and their mirror.
func mirrored(t testing.TB, base map[string]string) (*Folder, *board, *Mirror, *[]Change) {
	t.Helper()
	f := folder(t)
	if err := f.move(f.version(t, base)); err != nil {
		t.Fatal(err)
	}
	f.lay(t, base)
	project, told := &board{files: maps.Clone(base), hidden: map[string]bool{}}, &[]Change{}
	m, err := f.NewMirror(project, func(change Change) { *told = append(*told, change) })
	if err != nil {
		t.Fatal(err)
	}
	return f, project, m, told
}

func (m *Mirror) sync(t testing.TB) {
	t.Helper()
	if err := m.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestAMirrorCarriesBothWays(t *testing.T) {
	type files = map[string]string
	for name, c := range map[string]struct{ base, mine, theirs, here, there files }{
		"a change here":          {files{"a": "1"}, files{"a": "2", "n/b": "3"}, files{"a": "1"}, files{"a": "2", "n/b": "3"}, files{"a": "2", "n/b": "3"}},
		"a change there":         {files{"a": "1"}, files{"a": "1"}, files{"a": "2", "n/b": "3"}, files{"a": "2", "n/b": "3"}, files{"a": "2", "n/b": "3"}},
		"removed here":           {files{"a": "1", "b": "1"}, files{"b": "1"}, files{"a": "1", "b": "1"}, files{"b": "1"}, files{"b": "1"}},
		"removed there":          {files{"a": "1", "b": "1"}, files{"a": "1", "b": "1"}, files{"b": "1"}, files{"b": "1"}, files{"b": "1"}},
		"removed here, changed":  {files{"a": "1"}, files{}, files{"a": "2"}, files{"a": "2"}, files{"a": "2"}},
		"removed there, changed": {files{"a": "1"}, files{"a": "2"}, files{}, files{"a": "2"}, files{"a": "2"}},
		"other lines":            {files{"a": "1\n2\n3\n"}, files{"a": "one\n2\n3\n"}, files{"a": "1\n2\nthree\n"}, files{"a": "one\n2\nthree\n"}, files{"a": "one\n2\nthree\n"}},
		"one line":               {files{"a.txt": "1\n"}, files{"a.txt": "mine\n"}, files{"a.txt": "theirs\n"}, files{"a.txt": "mine\n", "a.theirs.txt": "theirs\n"}, files{"a.txt": "theirs\n"}},
		"too large":              {files{}, files{"a.large": "x"}, files{}, files{"a.large": "x"}, files{}},
	} {
		t.Run(name, func(t *testing.T) {
			f, project, m, _ := mirrored(t, c.base)
			m.sync(t)
			f.lay(t, c.mine)
			project.files = maps.Clone(c.theirs)
			for range 3 {
				m.sync(t)
			}
			if got := f.laid(t); !maps.Equal(got, c.here) {
				t.Errorf("got %q here, want %q", got, c.here)
			}
			if !maps.Equal(project.files, c.there) {
				t.Errorf("got %q there, want %q", project.files, c.there)
			}
		})
	}
}

// TestAConflictIsSettledByRemovingTheOtherVersion also starts a new mirror in between.
func TestAConflictIsSettledByRemovingTheOtherVersion(t *testing.T) {
	f, project, m, told := mirrored(t, map[string]string{"a.txt": "1\n"})
	f.lay(t, map[string]string{"a.txt": "mine\n"})
	project.files["a.txt"] = "theirs\n"
	m.sync(t)
	again, err := f.NewMirror(project, m.report)
	if err != nil {
		t.Fatal(err)
	}
	again.sync(t)
	if files := f.laid(t); len(files) != 2 || len(project.files) != 1 || len(*told) != 1 || (*told)[0].Kind != "conflict" {
		t.Fatalf("got %q, %q and %v, want one conflict", files, project.files, *told)
	}
	f.lay(t, map[string]string{"a.txt": "both\n"})
	again.sync(t)
	if project.files["a.txt"] != "both\n" {
		t.Errorf("got %q, want what was chosen", project.files)
	}
}

// TestWhoIsFasterLosesNothing changes the project just before the mirror does.
func TestWhoIsFasterLosesNothing(t *testing.T) {
	f, project, m, _ := mirrored(t, map[string]string{"a": "1\n2\n3\n", "gone": "1"})
	m.sync(t)
	f.lay(t, map[string]string{"a": "one\n2\n3\n"})
	project.before = func(path string) {
		project.files[path] = map[string]string{"a": "1\n2\nthree\n", "gone": "changed"}[path]
		project.before = nil
		if path == "a" {
			project.before = func(string) { project.files["gone"], project.before = "changed", nil }
		}
	}
	for range 3 {
		m.sync(t)
	}
	want := map[string]string{"a": "one\n2\nthree\n", "gone": "changed"}
	if got := f.laid(t); !maps.Equal(got, want) || !maps.Equal(project.files, want) {
		t.Errorf("got %q here and %q there, want %q", got, project.files, want)
	}
}

// TestFilesThatAreNotListedAreNotLost has a project that lists no build output.
func TestFilesThatAreNotListedAreNotLost(t *testing.T) {
	f, project, m, _ := mirrored(t, map[string]string{"dist/a": "1"})
	project.hidden["dist/a"] = true
	for range 2 {
		m.sync(t)
	}
	f.lay(t, map[string]string{"dist/a": "2"})
	m.sync(t)
	if project.files["dist/a"] != "2" || f.laid(t)["dist/a"] != "2" {
		t.Errorf("got %q and %q, want the change on both sides", project.files, f.laid(t))
	}
	before := project.reads
	if m.sync(t); project.reads != before {
		t.Error("got a file read that nobody changed")
	}
	project.files["dist/b"], project.hidden["dist/b"] = "theirs", true
	f.lay(t, map[string]string{"dist/a": "2", "dist/b": "mine"})
	m.sync(t)
	if here := f.laid(t); here["dist/b"] != "mine" || here["dist/b.theirs"] != "theirs" || project.files["dist/b"] != "theirs" {
		t.Errorf("got %q and %q, want both versions", here, project.files)
	}
}

// TestBothSidesConverge changes both sides at random. After the conflicts are settled both are
// alike, and every line that nobody replaced is there.
func TestBothSidesConverge(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	base := map[string]string{}
	for i := range 5 {
		base[fmt.Sprintf("d%d/f%d.txt", i%2, i)] = strings.Repeat("line\n", 4)
	}
	f, project, m, _ := mirrored(t, base)
	written := map[string]bool{}
	for round := range 15 {
		mine := f.laid(t)
		for side, files := range map[string]map[string]string{"here": mine, "there": project.files} {
			for _, path := range slices.Sorted(maps.Keys(files)) {
				if random.IntN(3) == 0 && !strings.Contains(path, ".theirs") {
					line := fmt.Sprintf("%s %d %s\n", side, round, path)
					lines := slices.Collect(strings.Lines(files[path]))
					files[path] = strings.Join(slices.Insert(lines, random.IntN(len(lines)+1), line), "")
					written[line] = true
				}
			}
		}
		f.lay(t, mine)
		m.sync(t)
		m.sync(t)
	}
	all := strings.Join(append(mapValues(f.laid(t)), mapValues(project.files)...), "")
	for line := range written {
		if !strings.Contains(all, line) {
			t.Errorf("the line %q is lost", line)
		}
	}
	settled := f.laid(t)
	maps.DeleteFunc(settled, func(path, _ string) bool { return strings.Contains(path, ".theirs") })
	f.lay(t, settled)
	for range 3 {
		m.sync(t)
	}
	if got := f.laid(t); !maps.Equal(got, project.files) && len(m.beside) == 0 {
		t.Errorf("got %q here and %q there, want them alike", got, project.files)
	}
}
