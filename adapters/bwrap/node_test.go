package bwrap

import (
	"os"
	"path/filepath"
	"testing"
)

func TestIdentityIsReplacedAndNeverWrittenTo(t *testing.T) {
	dir := t.TempDir()
	hosts := filepath.Join(dir, ".etc", "hosts")
	look := func() os.FileInfo {
		t.Helper()
		binds, err := identityBinds(dir)
		if err != nil || len(binds) != 3 {
			t.Fatalf("got %v, %v, want three files", binds, err)
		}
		info, err := os.Stat(hosts)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	first := look()
	if !os.SameFile(first, look()) {
		t.Error("got another file, want the one that is there")
	}
	if err := os.WriteFile(hosts, []byte("torn"), 0o600); err != nil {
		t.Fatal(err)
	}
	mended := look()
	content, err := os.ReadFile(hosts)
	if err != nil || string(content) != hostsFile || os.SameFile(first, mended) || mended.Mode().Perm() != 0o644 {
		t.Errorf("got %q, %v, the same file: %v, mode %v, want it replaced by a whole one for everybody", content, err, os.SameFile(first, mended), mended.Mode())
	}
	if entries, err := os.ReadDir(filepath.Dir(hosts)); err != nil || len(entries) != 3 {
		t.Errorf("got %v, %v, want no draft left", entries, err)
	}
}
