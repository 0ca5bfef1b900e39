package cluster

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// diskBytes is how large the projects' disk is that a test can fill.
const diskBytes = 64 << 20

// smallDisk gives the processes of a cluster a projects root of diskBytes bytes: a file system
// of its own, in a mount namespace that they share, so that it needs no rights.
func (c *cluster) smallDisk() {
	c.t.Helper()
	holder := exec.Command("unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
		`mkdir -p "$0" && mount -t tmpfs -o size=`+fmt.Sprint(diskBytes)+` tmpfs "$0" && echo mounted && exec cat`, c.projects)
	input, err := holder.StdinPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	output, err := holder.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		_ = input.Close()
		_ = holder.Wait()
	})
	said := make([]byte, len("mounted\n"))
	if _, err := io.ReadFull(output, said); err != nil {
		c.t.Fatalf("got %q, %v, want a disk", said, err)
	}
	c.root = fmt.Sprintf("/proc/%d/root", holder.Process.Pid)
	inside := filepath.Join(c.t.TempDir(), "atelier")
	script := fmt.Sprintf("#!/bin/sh\nexec nsenter -t %d --user --mount --preserve-credentials '%s' \"$@\"\n", holder.Process.Pid, c.binary)
	if err := os.WriteFile(inside, []byte(script), 0o700); err != nil {
		c.t.Fatal(err)
	}
	c.binary = inside
}

// fill leaves no place on the projects' disk, and returns how to make it again.
func (c *cluster) fill(t *testing.T) (empty func()) {
	t.Helper()
	path := filepath.Join(c.root, c.projects, ".filler")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if n, err := io.Copy(file, strings.NewReader(strings.Repeat("x", diskBytes+1))); err == nil {
		t.Fatalf("got %d bytes on the disk, want it full", n)
	}
	return func() {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}
