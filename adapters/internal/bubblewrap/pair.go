package bubblewrap

import (
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// Pair returns a connected pair of sockets of a kind, such as unix.SOCK_STREAM: the
// service's end, and the end that goes into the sandbox. The caller closes both.
func Pair(kind int, name string) (*net.UnixConn, *os.File, error) {
	ends, err := unix.Socketpair(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	ours, theirs := os.NewFile(uintptr(ends[0]), name), os.NewFile(uintptr(ends[1]), name)
	defer ours.Close()
	conn, err := net.FileConn(ours)
	if err != nil {
		_ = theirs.Close()
		return nil, nil, err
	}
	return conn.(*net.UnixConn), theirs, nil
}
