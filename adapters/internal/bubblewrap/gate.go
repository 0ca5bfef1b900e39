package bubblewrap

import (
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// A command waits at a gate until the whole sandbox exists and the service is still
// alive.
//
// The kernel ends a sandbox together with bubblewrap's outer process, and that process
// together with the service. But bubblewrap asks the kernel for this late. If the service
// ended before, the command would run forever, unsupervised. So the command's shell asks
// at the gate first. If the service is gone, the shell reads end of file instead of a
// byte, and ends. A killed service can leave behind only a bubblewrap process that waits
// for its outer process and has not yet run anything.

// OpenGate returns both ends of a gate: the service's end, and the end that goes into the
// sandbox.
func OpenGate() (*net.UnixConn, *os.File, error) { return Pair(unix.SOCK_STREAM, "gate") }

// AskAtGate returns the shell program that waits at the gate, which is its descriptor fd,
// of one digit. Once answered, it closes the gate and continues.
//
// bubblewrap's init asks the kernel to end it with the outer process only after it has
// started the shell, and then reaps every process that ends. So the shell first leaves it
// an orphan: once the orphan has been reaped, the init has asked.
func AskAtGate(fd int) string {
	return `orphan=$(: & echo $!)
while kill -0 "$orphan" 2>/dev/null; do sleep 0.001 2>/dev/null; done
` + fmt.Sprintf("{ echo >&%d && read -r answer <&%d; } 2>/dev/null || exit 125\nexec %d>&-\n", fd, fd, fd)
}

// AnswerAtGate lets a command begin when it asks. It returns after that, or when the gate
// is closed.
func AnswerAtGate(gate *net.UnixConn) {
	var word [1]byte
	if _, err := gate.Read(word[:]); err == nil {
		_, _ = gate.Write([]byte("\n"))
	}
}
