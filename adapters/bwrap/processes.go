package bwrap

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// usage is what a tree of processes uses at one moment.
type usage struct {
	processes int
	// memory is the private memory of each process, in bytes, plus temporary files. Pages
	// that two processes share after a fork are counted twice.
	memory int64
}

// survey counts the process root and its descendants, and stops after more than enough.
// Processes that start and end meanwhile may be missed; the next survey counts them.
func survey(root, enough int) usage {
	found := usage{memory: scratchMemory(root)}
	waiting := []int{root}
	for len(waiting) > 0 && found.processes <= enough {
		pid := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		found.processes++
		found.memory += privateMemory(pid)
		waiting = append(waiting, children(pid)...)
	}
	return found
}

// children returns the processes that the threads of a process have started.
func children(pid int) []int {
	var found []int
	for _, thread := range threads(pid) {
		content, err := os.ReadFile(thread + "/children")
		if err != nil {
			continue
		}
		for _, field := range strings.Fields(string(content)) {
			if child, err := strconv.Atoi(field); err == nil {
				found = append(found, child)
			}
		}
	}
	return found
}

// threads returns the directories of a process's threads, none once it is gone. filepath.Glob
// would also list each of them.
func threads(pid int) []string {
	tasks := "/proc/" + strconv.Itoa(pid) + "/task"
	dir, err := os.Open(tasks)
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for i, name := range names {
		names[i] = tasks + "/" + name
	}
	return names
}

// privateMemory returns the memory of a process that no file backs, resident or swapped
// out, and of its page tables. It is 0 once the process is gone.
func privateMemory(pid int) int64 {
	content, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	var kib int64
	for line := range strings.Lines(string(content)) {
		name, value, _ := strings.Cut(line, ":")
		switch name {
		case "RssAnon", "VmSwap", "VmPTE":
			size, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			kib += size
		}
	}
	return kib << 10
}

// nameBytes is the memory that the name of a temporary file takes, whatever the file holds.
const nameBytes = 1 << 10

// scratchMemory returns what the temporary files of the sandbox of process pid take.
// Directories of the machine do not count: those of a command without isolation, and of
// bubblewrap while it prepares the sandbox.
func scratchMemory(pid int) int64 {
	var found int64
	for _, place := range []string{scratchDir, sharedDir} {
		inside := "/proc/" + strconv.Itoa(pid) + "/root" + place
		var its, ours unix.Stat_t
		if unix.Stat(inside, &its) != nil || unix.Stat(place, &ours) == nil && its.Dev == ours.Dev {
			continue
		}
		var used unix.Statfs_t
		if unix.Statfs(inside, &used) == nil && used.Type == unix.TMPFS_MAGIC {
			found += int64(used.Blocks-used.Bfree)*used.Bsize + int64(used.Files-used.Ffree)*nameBytes
		}
	}
	return found
}

// freeBytes returns the free space of a directory's disk.
func freeBytes(dir string) (int64, error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		return 0, err
	}
	return int64(stat.Bavail) * stat.Bsize, nil
}
