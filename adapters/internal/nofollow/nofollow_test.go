package nofollow

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/core"
)

// plant makes a directory with files, links and a pipe.
func plant(t *testing.T) string {
	t.Helper()
	base, outside := t.TempDir(), t.TempDir()
	failed := errors.Join(
		os.MkdirAll(filepath.Join(base, "dir", "sub"), 0o755),
		os.WriteFile(filepath.Join(base, "dir", "sub", "file"), []byte("content"), 0o644),
		os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o644),
		os.Symlink(outside, filepath.Join(base, "out")),
		os.Symlink("dir", filepath.Join(base, "in")),
		os.Symlink("sub/file", filepath.Join(base, "dir", "link")),
		os.Symlink("../..", filepath.Join(base, "dir", "up")),
		os.Symlink("loop", filepath.Join(base, "loop")),
		unix.Mkfifo(filepath.Join(base, "pipe"), 0o644),
	)
	if failed != nil {
		t.Fatal(failed)
	}
	return base
}

// The two ways to open a path, by one system call and by steps, must never differ.
func TestBothWaysAgree(t *testing.T) {
	base := plant(t)
	for path, want := range map[string]string{
		"": "", ".": "", "dir": "", "dir/sub/file": "", "pipe": "", "dir/sub": "",
		"absent": "absent", "dir/absent/x": "absent", "dir/sub/file/x": "no directory", "pipe/x": "no directory",
		"in": "link", "in/sub/file": "link", "dir/link": "link", "loop": "link", "loop/x": "link",
		"out": "traversal", "out/secret": "traversal", "dir/up": "traversal", "dir/up/x": "traversal",
	} {
		for name, open := range map[string]func(string, string, int) (int, error){"at once": Open, "by steps": openStepwise} {
			fd, err := open(base, path, unix.O_RDONLY|unix.O_NONBLOCK)
			if got := tell(err); got != want {
				t.Errorf("%q %s: got %q (%v), want %q", path, name, got, err, want)
			}
			if err == nil {
				unix.Close(fd)
			}
		}
	}
}

func tell(err error) string {
	switch {
	case err == nil:
		return ""
	case core.IsCode(err, core.CodePathTraversal):
		return "traversal"
	case errors.Is(err, ErrLink):
		return "link"
	case errors.Is(err, unix.ENOTDIR):
		return "no directory"
	case errors.Is(err, fs.ErrNotExist):
		return "absent"
	}
	return err.Error()
}

func TestOnlyFilesAreRegular(t *testing.T) {
	base := plant(t)
	fd, stat, err := OpenRegular(base, "dir/sub/file")
	if err != nil || stat.Size != 7 {
		t.Fatalf("got %d bytes, %v, want the file", stat.Size, err)
	}
	unix.Close(fd)
	for _, path := range []string{"dir", "pipe", "in/sub/file", "absent", "dir/sub/file/x"} {
		if _, _, err := OpenRegular(base, path); !IsAbsence(err) {
			t.Errorf("%s: got %v, want an absence", path, err)
		}
	}
	if _, _, err := OpenRegular(base, "out/secret"); !core.IsCode(err, core.CodePathTraversal) {
		t.Errorf("outside: got %v, want code %s", err, core.CodePathTraversal)
	}
}

func TestNoDescriptorLeaks(t *testing.T) {
	base := plant(t)
	before := descriptors(t)
	for range 20 {
		for _, path := range []string{"out/secret", "in/sub/file", "dir/sub/file/x", "absent/y", "pipe"} {
			_, _, _ = OpenRegular(base, path)
			_, _ = Stat(base, path)
			if fd, err := openStepwise(base, path, unix.O_PATH); err == nil {
				unix.Close(fd)
			}
		}
	}
	if after := descriptors(t); after > before {
		t.Errorf("got %d descriptors, want %d as before", after, before)
	}
}

// descriptors counts the open files below the test's directories.
func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, entry := range entries {
		if target, err := os.Readlink("/proc/self/fd/" + entry.Name()); err == nil && strings.HasPrefix(target, os.TempDir()) {
			n++
		}
	}
	return n
}
