package bwrap

import (
	"errors"
	"net"
	"os"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/internal/bubblewrap"
)

// newDoor returns both ends of the socket that carries the proxy's port out of a sandbox:
// the service's end and the end that goes in.
func newDoor() (*net.UnixConn, *os.File, error) { return bubblewrap.Pair(unix.SOCK_SEQPACKET, "door") }

// errNothing reports that the sandbox sent no descriptor, or ended before.
var errNothing = errors.New("the sandbox sent nothing")

// receivePort waits for the proxy's port. It fails if the sandbox ends without sending
// it.
func receivePort(door *net.UnixConn) (net.Listener, error) {
	file, err := receive(door)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return net.FileListener(file)
}

// receive waits for one descriptor.
func receive(door *net.UnixConn) (*os.File, error) {
	var word [1]byte
	rights := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := door.ReadMsgUnix(word[:], rights)
	if err != nil {
		return nil, err
	}
	messages, err := unix.ParseSocketControlMessage(rights[:n])
	if err != nil || len(messages) != 1 {
		return nil, errors.Join(errNothing, err)
	}
	descriptors, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(descriptors) != 1 {
		for _, descriptor := range descriptors {
			_ = unix.Close(descriptor)
		}
		return nil, errors.Join(errNothing, err)
	}
	// Go's runtime polls only descriptors that do not block.
	if err := unix.SetNonblock(descriptors[0], true); err != nil {
		_ = unix.Close(descriptors[0])
		return nil, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(uintptr(descriptors[0]), "from the sandbox"), nil
}
