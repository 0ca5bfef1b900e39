package bwrap

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// kernelRelease returns the kernel's version, such as 6.1.0-18-amd64.
func kernelRelease() string {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return ""
	}
	return unix.ByteSliceToString(name.Release[:])
}

// kernelProcesses returns the rlimit for a command's number of processes. It adds what the
// kernel counts beside them, and is at most the limit of this process, which it cannot raise.
func kernelProcesses(most int) int {
	most += countedBeside(kernelRelease())
	var own unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NPROC, &own); err == nil && own.Max < uint64(most) {
		return int(own.Max)
	}
	return most
}

// countedBeside returns how many threads of this user the kernel counts against a command's
// limit although the command did not start them. Since 5.14 the kernel counts each user
// namespace separately.
func countedBeside(release string) int {
	var major, minor int
	if n, _ := fmt.Sscanf(release, "%d.%d", &major, &minor); n < 2 || major > 5 || major == 5 && minor >= 14 {
		return 0
	}
	threads, _ := filepath.Glob("/proc/[0-9]*/task/[0-9]*")
	found := 0
	for _, thread := range threads {
		info, err := os.Stat(thread)
		if err != nil {
			continue
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) == os.Getuid() {
			found++
		}
	}
	return found
}
