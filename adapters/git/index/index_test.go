package index

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/core"
)

// stockIndex is an index with the given names as the stock client writes it.
func stockIndex(t testing.TB, version string, names ...string) []byte {
	t.Helper()
	dir := t.TempDir()
	run := func(args ...string) {
		command := exec.Command("git", args...)
		command.Dir = dir
		command.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null")
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %s", args, out)
		}
	}
	run("init", "--quiet", "--template=")
	for _, name := range names {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run("add", "--all")
	if version == "3" {
		run("rm", "--quiet", "--cached", names[0])
		run("add", "--intent-to-add", names[0])
	}
	run("update-index", "--index-version", version, "--force-write-index")
	data, err := os.ReadFile(filepath.Join(dir, ".git", "index"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func indexNames(x *File) []string {
	var names []string
	for i := range x.Len() {
		names = append(names, string(x.Entry(i).Name()))
	}
	return names
}

func TestIndexOfEachVersionIsRead(t *testing.T) {
	names := []string{"a.txt", "a/deep/file-with-a-long-name", "a/deep/file-with-another", "abc", strings.Repeat("d/", 300) + "x", "z"}
	for _, version := range []string{"2", "3", "4"} {
		data := stockIndex(t, version, names...)
		if got := strconv.Itoa(int(data[7])); got != version {
			t.Fatalf("got an index of version %s from the stock client, want %s", got, version)
		}
		parsed, err := Parse(data)
		if err != nil {
			t.Fatalf("version %s: got %v, want nil", version, err)
		}
		if got := indexNames(parsed); !slices.Equal(got, names) {
			t.Errorf("version %s: got %q, want %q", version, got, names)
		}
		again, err := Parse(parsed.Encode(nil))
		if err != nil || !slices.Equal(indexNames(again), names) {
			t.Errorf("version %s, written again: got %v, %v, want the same names", version, again, err)
		}
	}
}

func TestIndexEdits(t *testing.T) {
	x := New()
	put := func(names ...string) []Edit {
		var edits []Edit
		for _, name := range names {
			edits = append(edits, Edit{name, NewEntry(name, plumbing.ZeroHash, 0o100644, unix.Stat_t{})})
		}
		return edits
	}
	for i, step := range []struct {
		edits []Edit
		want  []string
	}{
		{put("b", "d"), []string{"b", "d"}},
		{put("a", "c", "e"), []string{"a", "b", "c", "d", "e"}},
		{[]Edit{{Name: "a"}, {Name: "absent"}, {Name: "e"}}, []string{"b", "c", "d"}},
		{put("c"), []string{"b", "c", "d"}},
		{[]Edit{{Name: "b"}, {Name: "c"}, {Name: "d"}}, nil},
	} {
		parsed, err := Parse(x.Encode(step.edits))
		if err != nil || !slices.Equal(indexNames(parsed), step.want) {
			t.Fatalf("step %d: got %q, %v, want %q", i, indexNames(parsed), err, step.want)
		}
		x = parsed
	}
}

func FuzzParseIndex(f *testing.F) {
	for _, version := range []string{"2", "3", "4"} {
		f.Add(stockIndex(f, version, "a", "b/c", "b/d"))
	}
	f.Add([]byte("DIRC"))
	f.Fuzz(func(t *testing.T, data []byte) {
		// Zeros for a checksum, as index.skipHash writes, let the mutations through.
		if len(data) > 20 {
			copy(data[len(data)-20:], make([]byte, 20))
		}
		parsed, err := Parse(data)
		if err != nil {
			if !core.IsCode(err, core.CodeUnavailable) {
				t.Errorf("got %v, want code %s", err, core.CodeUnavailable)
			}
			return
		}
		parsed.Staged()
		again, err := Parse(parsed.Encode(nil))
		if err != nil || !bytes.Equal(again.entries, parsed.entries) {
			t.Errorf("written again: got %v, want the same entries", err)
		}
	})
}
