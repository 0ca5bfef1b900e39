package bwrap

import (
	"errors"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// newDoor returns the service's end of the socket over which the proxy's port
// comes out of a sandbox, and the end that goes in.
func newDoor() (*net.UnixConn, *os.File, error) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	ours, theirs := os.NewFile(uintptr(ends[0]), "door"), os.NewFile(uintptr(ends[1]), "door")
	defer ours.Close()
	conn, err := net.FileConn(ours)
	if err != nil {
		theirs.Close()
		return nil, nil, err
	}
	return conn.(*net.UnixConn), theirs, nil
}

// receivePort waits for the proxy's port. It fails when the sandbox ends without
// having sent it.
func receivePort(door *net.UnixConn) (net.Listener, error) {
	var word [1]byte
	rights := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := door.ReadMsgUnix(word[:], rights)
	if err != nil {
		return nil, err
	}
	messages, err := unix.ParseSocketControlMessage(rights[:n])
	if err != nil || len(messages) != 1 {
		return nil, errors.Join(errors.New("the sandbox sent no port"), err)
	}
	descriptors, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(descriptors) != 1 {
		return nil, errors.Join(errors.New("the sandbox sent no port"), err)
	}
	file := os.NewFile(uintptr(descriptors[0]), "port")
	defer file.Close()
	return net.FileListener(file)
}
