package bwrap

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// kernelRelease is what the kernel says of its version, such as 6.1.0-18-amd64.
func kernelRelease() string {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return ""
	}
	return unix.ByteSliceToString(name.Release[:])
}

// kernelProcesses is the limit to set for so many processes of a command: above those that the
// kernel counts beside, and not above what this process itself may have, which nobody can raise.
func kernelProcesses(most int) int {
	most += countedBeside(kernelRelease())
	var own unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NPROC, &own); err == nil && own.Max < uint64(most) {
		return int(own.Max)
	}
	return most
}

// countedBeside is how many threads of this user a kernel counts against a command's limit,
// although the command did not make them. Since 5.14 it counts each user namespace apart.
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
