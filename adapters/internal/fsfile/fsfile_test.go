package fsfile_test

import (
	"errors"
	"io"
	"io/fs"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/atelierhq/atelier/adapters/internal/fsfile"
)

func TestDirIsReadInPages(t *testing.T) {
	files := fstest.MapFS{"a": {}, "b": {}, "c": {}}
	entries, err := files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	info, err := files.Stat(".")
	if err != nil {
		t.Fatal(err)
	}
	dir := fsfile.NewDir(info, entries)
	if page, err := dir.ReadDir(2); err != nil || len(page) != 2 || page[0].Name() != "a" {
		t.Errorf("got %v, %v, want a and b", page, err)
	}
	if page, err := dir.ReadDir(2); err != nil || len(page) != 1 || page[0].Name() != "c" {
		t.Errorf("got %v, %v, want c", page, err)
	}
	if page, err := dir.ReadDir(1); !errors.Is(err, io.EOF) || len(page) != 0 {
		t.Errorf("got %v, %v, want the end", page, err)
	}
	if page, err := dir.ReadDir(-1); err != nil || len(page) != 0 {
		t.Errorf("got %v, %v, want no error for all of nothing", page, err)
	}
	var failed *fs.PathError
	if _, err := dir.Read(nil); !errors.Is(err, syscall.EISDIR) || !errors.As(err, &failed) {
		t.Errorf("got %v, want that it is a folder", err)
	}
}
