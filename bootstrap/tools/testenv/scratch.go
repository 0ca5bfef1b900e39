package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strconv"
	"syscall"
)

// inMemory is where Linux has a file system in memory.
const inMemory = "/dev/shm"

const (
	// enoughBytes is more than the space that all tests together need there.
	enoughBytes = 12 << 30
	// noExec is the flag of file systems on which no program can be executed.
	noExec = 0x8
)

// useMemory puts temporary files in memory if there is room: the tests sync every file
// that the service writes, and would wait for a disk. It returns the function that
// removes them. Tests of durability kill the service, which loses nothing of either.
func useMemory() (remove func() error, err error) {
	var found syscall.Statfs_t
	if os.Getenv("TMPDIR") != "" || syscall.Statfs(inMemory, &found) != nil || found.Flags&noExec != 0 ||
		found.Bavail*uint64(found.Bsize) < enoughBytes || memoryLeft("/") < enoughBytes {
		return func() error { return nil }, nil
	}
	folder, err := os.MkdirTemp(inMemory, "atelier-tests-")
	if err != nil {
		return nil, fmt.Errorf("a folder in memory: %w", err)
	}
	if err := os.Chmod(folder, 0o755); err != nil {
		return nil, err
	}
	return func() error { return os.RemoveAll(folder) }, os.Setenv("TMPDIR", folder)
}

// memoryLeft returns how many bytes of the machine's memory and of the container's limit
// are free, 0 if the system under root does not say.
func memoryLeft(root string) uint64 {
	text, _ := os.ReadFile(root + "proc/meminfo")
	_, text, _ = bytes.Cut(text, []byte("MemAvailable:"))
	fields := bytes.Fields(text)
	if len(fields) == 0 {
		return 0
	}
	kilobytes, _ := strconv.ParseUint(string(fields[0]), 10, 64)
	limit := number(root+"sys/fs/cgroup/memory.max", math.MaxUint64)
	return min(kilobytes<<10, limit-min(limit, number(root+"sys/fs/cgroup/memory.current", 0)))
}

// number parses a file that holds a number.
func number(path string, otherwise uint64) uint64 {
	text, _ := os.ReadFile(path)
	if n, err := strconv.ParseUint(string(bytes.TrimSpace(text)), 10, 64); err == nil {
		return n
	}
	return otherwise
}
