package bwrap

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// stayFlag is the argument that makes Enter stay.
const stayFlag = "--stay"

// registryPort is the port at which tools find the package registry.
const registryPort = 4873

// Questions that the service asks over the door: each asks for one unconnected socket of
// a kind. The answer is askedSocket with the socket, or refusedSocket.
const (
	askIPv4       = 4
	askIPv6       = 6
	askedSocket   = 1
	refusedSocket = 2
)

// stay opens the registry's port, passes it out over the door and starts the program. It
// answers the service's questions over the door until the program ends, and then ends
// with the same status.
//
// The service connects the sockets itself. So this process handles no data and waits only
// for the program.
func stay(door int, args []string) error {
	// Programs of the same user in the sandbox must not reach into this process.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl", err)
	}
	unix.CloseOnExec(door)
	gate := os.NewFile(gateFD, "gate")
	if err := handOut(door, registryPort); err != nil {
		return err
	}
	program := exec.Command(args[0], args[1:]...)
	program.Stdin, program.Stdout, program.Stderr = os.Stdin, os.Stdout, os.Stderr
	// The gate keeps its descriptor, 3 + 3.
	program.ExtraFiles = []*os.File{gateFD - 3: gate}
	if err := program.Start(); err != nil {
		return err
	}
	_ = gate.Close()
	go handSockets(door)
	err := program.Wait()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		return err
	}
	// Exit immediately: the race detector, for example, would wait for a second.
	unix.Exit(exitCode(program.ProcessState))
	return nil
}

// exitCode returns the code that a shell would report for an ended process.
func exitCode(state *os.ProcessState) int {
	if status, known := state.Sys().(syscall.WaitStatus); known && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}

// handSockets answers until the service closes its end of the door.
func handSockets(door int) {
	var asked [1]byte
	for {
		n, err := unix.Read(door, asked[:])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n == 0 {
			return
		}
		family := unix.AF_INET
		if asked[0] == askIPv6 {
			family = unix.AF_INET6
		}
		socket, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
		if err != nil {
			_ = unix.Sendmsg(door, []byte{refusedSocket}, nil, nil, 0)
			continue
		}
		err = unix.Sendmsg(door, []byte{askedSocket}, unix.UnixRights(socket), nil, 0)
		_ = unix.Close(socket)
		if err != nil {
			return
		}
	}
}
