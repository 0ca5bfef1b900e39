package bwrap

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// EnterCommand is the argument with which Config.Helper is asked to call Enter.
const EnterCommand = "sandbox-init"

// The proxy's place in the sandbox.
const (
	proxyPort = 3128
	proxyURL  = "http://127.0.0.1:3128"
	// backlog is how many connections wait to be taken.
	backlog = 128
)

// Enter is what the helper does: inside the sandbox, before the command is there,
// it opens the port at which the command finds the proxy, hands it to the service
// outside, and becomes the program that args name. When the first of them is
// stayFlag, it stays beside that program instead (see stay). It returns only when
// that fails.
//
// A socket belongs to the network in which it was made, wherever it is used. So
// nothing besides the command stays inside, and no other way leads out.
func Enter(args []string) error {
	if len(args) == 0 || args[0] == stayFlag && len(args) == 1 {
		return errors.New("this is for the service to start: it opens the network of a command in its sandbox")
	}
	if args[0] == stayFlag {
		return stay(doorFD, args[1:])
	}
	err := handOut(doorFD, proxyPort)
	_ = unix.Close(doorFD)
	if err != nil {
		return err
	}
	return unix.Exec(args[0], args, os.Environ())
}

// handOut opens a port and sends it over the socket door.
func handOut(door, number int) error {
	port, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	defer unix.Close(port)
	if err := unix.Bind(port, &unix.SockaddrInet4{Port: number, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return os.NewSyscallError("bind", err)
	}
	if err := unix.Listen(port, backlog); err != nil {
		return os.NewSyscallError("listen", err)
	}
	return os.NewSyscallError("sendmsg", unix.Sendmsg(door, []byte{0}, unix.UnixRights(port), nil, 0))
}
