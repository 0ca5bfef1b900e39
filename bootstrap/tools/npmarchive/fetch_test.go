package npmarchive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// served returns an archive of some files, which a server of its own has.
func served(t *testing.T, files map[string]string) Archive {
	t.Helper()
	var packed bytes.Buffer
	plain := gzip.NewWriter(&packed)
	entries := tar.NewWriter(plain)
	for name, content := range files {
		if err := entries.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(content))}); err != nil {
			t.Fatal(err)
		}
		if _, err := entries.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(entries.Close(), plain.Close()); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(packed.Bytes()) }))
	t.Cleanup(server.Close)
	sum := sha512.Sum512(packed.Bytes())
	return Archive{server.URL, base64.StdEncoding.EncodeToString(sum[:])}
}

func TestAnArchiveIsUnpacked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := Fetch(t.Context(), served(t, map[string]string{"package/bin/program": "run"}), dir); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "bin", "program"))
	if err != nil || info.Mode().Perm()&0o111 == 0 {
		t.Errorf("got %v, %v, want a program", info, err)
	}
}

func TestAnArchiveWithAnotherDigestIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	wrong := served(t, map[string]string{"package/program": "run"})
	wrong.Digest = strings.Repeat("A", 86) + "=="
	if err := Fetch(t.Context(), wrong, dir); err == nil || !strings.Contains(err.Error(), "does not have the pinned digest") {
		t.Errorf("got %v, want it refused", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("got %v, %v, want nothing unpacked", entries, err)
	}
}

func TestAnArchiveCannotLeaveItsDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	inner := filepath.Join(dir, "inner")
	if err := Fetch(t.Context(), served(t, map[string]string{"package/../../out": "run"}), inner); err == nil {
		t.Error("got an archive unpacked outside of its directory, want it refused")
	}
	if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
		t.Error("got a file outside")
	}
}

func TestADirectoryIsFilledOnceAndWhole(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "b")
	failed := errors.New("cut off")
	half := func(draft string) error {
		return errors.Join(os.WriteFile(filepath.Join(draft, "half"), nil, 0o600), failed)
	}
	if err := Keep(dir, half); !errors.Is(err, failed) {
		t.Errorf("got %v, want what went wrong", err)
	}
	if entries, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(entries) > 0 {
		t.Errorf("got %v, %v, want nothing left", entries, err)
	}
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if err := Keep(dir, func(draft string) error { return os.WriteFile(filepath.Join(draft, "file"), nil, 0o600) }); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	if err := Keep(dir, func(string) error { return context.Canceled }); err != nil {
		t.Errorf("got %v, want it not filled again", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("got %v, %v, want its file", entries, err)
	}
}
