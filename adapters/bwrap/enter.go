package bwrap

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// EnterCommand is the first argument of Config.Helper that makes it call Enter.
const EnterCommand = "sandbox-init"

// The proxy's address in the sandbox.
const (
	proxyPort = 3128
	proxyURL  = "http://127.0.0.1:3128"
	// backlog is how many connections may wait to be accepted.
	backlog = 128
)

// Enter is the helper's work inside the sandbox, before the command starts. It opens the
// port at which the command finds the proxy and passes it to the service outside. Then it
// becomes the program that args name. If the first of args is stayFlag, it stays beside
// that program instead (see stay). It returns only if that fails.
//
// A socket belongs to the network namespace in which it was created, wherever it is used.
// So only the command stays inside, and no other way leads out.
func Enter(args []string) error {
	if len(args) == 0 || args[0] == stayFlag && len(args) == 1 {
		return errors.New("this command is internal: the service starts it to open a command's network in its sandbox")
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

// handOut opens a port and sends it over the door.
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
