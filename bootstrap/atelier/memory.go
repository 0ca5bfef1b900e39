package main

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

// limitMemory lets the garbage collector work harder as the service's memory nears three
// quarters of what its machine or container has; the rest is for worker processes and the
// kernel. It does nothing if GOMEMLIMIT is set.
func limitMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(availableMemory(os.DirFS("/")) / 4 * 3)
	}
}

// availableMemory returns the memory of the machine, or less if a control group bounds that
// of this process (cgroup v2), in bytes. root is the root of the file system. What cannot be
// read is no bound.
func availableMemory(root fs.FS) int64 {
	available := machineMemory(root)
	// The groups above bound this process too.
	for group := ownGroup(root); ; group = path.Dir(group) {
		content, _ := fs.ReadFile(root, path.Join("sys/fs/cgroup", group, "memory.max"))
		if limit, err := strconv.ParseInt(strings.TrimSpace(string(content)), 10, 64); err == nil {
			available = min(available, limit)
		}
		if group == "/" {
			return available
		}
	}
}

// machineMemory returns the first line of /proc/meminfo, in bytes.
func machineMemory(root fs.FS) int64 {
	content, _ := fs.ReadFile(root, "proc/meminfo")
	var kibibytes int64
	if _, err := fmt.Sscanf(string(content), "MemTotal: %d kB", &kibibytes); err != nil {
		return math.MaxInt64
	}
	return kibibytes << 10
}

// ownGroup returns the path of this process's control group. In a container it is usually
// the root.
func ownGroup(root fs.FS) string {
	content, _ := fs.ReadFile(root, "proc/self/cgroup")
	for line := range strings.Lines(string(content)) {
		if group, found := strings.CutPrefix(line, "0::"); found {
			return path.Clean("/" + strings.TrimSpace(group))
		}
	}
	return "/"
}
