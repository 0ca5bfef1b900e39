package bubblewrap

import (
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// A command waits at a gate until it may begin, which is when the service still lives
// once all of the sandbox does.
//
// The kernel ends a sandbox with bubblewrap's outer process, and that with the
// service, but bubblewrap asks for it late: what ends before leaves a command that
// runs for ever and that nobody looks after. So the shell asks first. When there is
// nobody to answer, it reads the end of the socket in place of a word, and ends. What
// a service that is killed can leave is a process of bubblewrap that waits for its
// outer one and has not begun to run anything.

// OpenGate returns the service's end of a gate, and the one that goes in.
func OpenGate() (*net.UnixConn, *os.File, error) { return Pair(unix.SOCK_STREAM, "gate") }

// AskAtGate is the shell program that waits at the gate, which is its descriptor fd, of
// one digit. It goes on when it is answered, with the gate closed.
//
// bubblewrap's init asks the kernel to end it with the outer process only when it has
// started the shell, and then waits for all that ends. So the shell leaves it an orphan
// first: once that is gone for good, the init has asked.
func AskAtGate(fd int) string {
	return `orphan=$(: & echo $!)
while kill -0 "$orphan" 2>/dev/null; do sleep 0.001 2>/dev/null; done
` + fmt.Sprintf("{ echo >&%d && read -r answer <&%d; } 2>/dev/null || exit 125\nexec %d>&-\n", fd, fd, fd)
}

// AnswerAtGate lets a command begin when it asks. It returns when it has, or the gate
// is closed.
func AnswerAtGate(gate *net.UnixConn) {
	var word [1]byte
	if _, err := gate.Read(word[:]); err == nil {
		_, _ = gate.Write([]byte("\n"))
	}
}
