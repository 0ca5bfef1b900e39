package bwrap

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// usage is what a tree of processes uses at one moment.
type usage struct {
	processes int
	// memory is what each has to itself, in bytes. Pages that two share after a
	// fork are counted twice.
	memory int64
}

// survey counts the process root and all below it, but stops when it has found
// more than enough. Processes that come and go meanwhile may be missed: the next
// look counts them.
func survey(root, enough int) usage {
	var found usage
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

// children returns what the threads of a process have started.
func children(pid int) []int {
	lists, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	var found []int
	for _, list := range lists {
		content, err := os.ReadFile(list)
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

// privateMemory is the resident memory of a process that no file backs, 0 when it
// is gone.
func privateMemory(pid int) int64 {
	content, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(content))
	if len(fields) < 3 {
		return 0
	}
	resident, _ := strconv.ParseInt(fields[1], 10, 64)
	shared, _ := strconv.ParseInt(fields[2], 10, 64)
	return max(0, resident-shared) * int64(os.Getpagesize())
}

// freeBytes is how much room a directory's disk has.
func freeBytes(dir string) (int64, error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		return 0, err
	}
	return int64(stat.Bavail) * stat.Bsize, nil
}
