package main

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestRecentVersions(t *testing.T) {
	for version, want := range map[string]bool{
		"v22.1.0": true, "v20.19.0": true, "v20.20.2": true, "v20.18.9": false, "v18.20.4": false, "": false, "v": false, "22": false, "x.y.z": false,
	} {
		if got := recent(version); got != want {
			t.Errorf("%q: got %v, want %v", version, got, want)
		}
	}
}

func TestNodeIsFetchedOnceWhereThereIsNone(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("PATH", t.TempDir())
	var log strings.Builder
	dir, err := bringNode(t.Context(), &log)
	if err != nil {
		t.Fatal(err)
	}
	for program, want := range map[string]string{"node": "v" + nodeVersion, "npm": npmVersion} {
		command := exec.Command(filepath.Join(dir, program), "--version")
		command.Env = []string{"PATH=" + dir + ":/usr/bin:/bin", "HOME=" + t.TempDir()}
		if said, err := command.CombinedOutput(); err != nil || strings.TrimSpace(string(said)) != want {
			t.Errorf("%s: got %q, %v, want %s", program, said, err, want)
		}
	}
	t.Setenv("PATH", dir)
	log.Reset()
	if again, err := bringNode(t.Context(), &log); err != nil || again != "" {
		t.Errorf("with it in PATH: got %q, %v, want nothing to do", again, err)
	}
	t.Setenv("PATH", t.TempDir())
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if again, err := bringNode(ended, &log); err != nil || again != dir || log.Len() > 0 {
		t.Errorf("a second time: got %q, %v after %q, want what was fetched", again, err, log.String())
	}
}
