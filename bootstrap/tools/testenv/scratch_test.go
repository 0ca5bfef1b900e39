package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestMemoryIsWhatMachineAndContainerLeave(t *testing.T) {
	const machine = "MemTotal: 9 kB\nMemAvailable:   4096 kB\nBuffers: 1 kB\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  uint64
	}{
		"a machine of its own":      {map[string]string{"proc/meminfo": machine}, 4 << 20},
		"a container without bound": {map[string]string{"proc/meminfo": machine, "sys/fs/cgroup/memory.max": "max\n"}, 4 << 20},
		"a container with less":     {map[string]string{"proc/meminfo": machine, "sys/fs/cgroup/memory.max": "3000000\n", "sys/fs/cgroup/memory.current": "1000000\n"}, 2_000_000},
		"a container that is full":  {map[string]string{"proc/meminfo": machine, "sys/fs/cgroup/memory.max": "10\n", "sys/fs/cgroup/memory.current": "11\n"}, 0},
		"a system that is silent":   {nil, 0},
		"a system that says less":   {map[string]string{"proc/meminfo": "MemAvailable:"}, 0},
	} {
		root := t.TempDir() + "/"
		for path, text := range c.files {
			if err := os.MkdirAll(filepath.Dir(root+path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(root+path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got := memoryLeft(root); got != c.want {
			t.Errorf("%s: got %d, want %d", name, got, c.want)
		}
	}
}

func TestTemporaryFilesStayWhereTMPDIRSays(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	want := os.TempDir()
	remove, err := useMemory()
	if err != nil || os.TempDir() != want {
		t.Errorf("got %s, %v, want %s", os.TempDir(), err, want)
	}
	if err := remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(want); err != nil {
		t.Errorf("got %v, want the given folder left", err)
	}
}

func TestTemporaryFilesInMemoryAreGoneAfterwards(t *testing.T) {
	t.Setenv("TMPDIR", "")
	remove, err := useMemory()
	if err != nil {
		t.Fatal(err)
	}
	folder := os.Getenv("TMPDIR")
	if folder != "" && filepath.Dir(folder) != inMemory {
		t.Errorf("got %s, want a folder in %s", folder, inMemory)
	}
	if err := remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(folder); folder != "" && !os.IsNotExist(err) {
		t.Errorf("got %v, want it removed", err)
	}
}
