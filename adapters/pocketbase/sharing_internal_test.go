package pocketbase

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// TestSharedDataIsFoundWhereverItIs opens it under the names that holders give it.
func TestSharedDataIsFoundWhereverItIs(t *testing.T) {
	shared, project := t.TempDir(), core.NewID()
	dir := filepath.Join(shared, string(project))
	at := func(env core.DataEnv, want string) *os.Root {
		t.Helper()
		root, err := OpenShared(shared, project, env)
		if want == "" {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("got %v, want that there is nothing", err)
			}
			return nil
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = root.Close() })
		if content, err := root.ReadFile("content"); err != nil || string(content) != want {
			t.Errorf("got %q and %v, want %q", content, err, want)
		}
		return root
	}
	put := func(path, content string) {
		t.Helper()
		path = filepath.Join(dir, path, "content")
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	at(core.DataLive, "")
	put("live", "alone")
	early := at(core.DataLive, "alone")
	at(core.DataTest, "")
	if err := takeOver(dir, 4); err != nil {
		t.Fatal(err)
	}
	at(core.DataLive, "alone")
	put("3/live", "left by an earlier holder")
	put("4/test", "test")
	at(core.DataTest, "test")
	if err := takeOver(dir, 12); err != nil {
		t.Fatal(err)
	}
	at(core.DataLive, "alone")
	if content, err := early.ReadFile("content"); err != nil || string(content) != "alone" {
		t.Errorf("got %q and %v of what was opened before, want the same", content, err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "12", "test")); err != nil {
		t.Fatal(err)
	}
	at(core.DataTest, "")
}
