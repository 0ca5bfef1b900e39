package chromium

import (
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/bubblewrap"
)

// leash controls one browser from before its start until nothing of it is left, so that
// it can be ended at any moment.
type leash struct {
	inner *bubblewrap.Process
	// gate is where the browser waits to begin.
	gate   *net.UnixConn
	status *os.File
	// theirs are the started process's ends of the pipes, in the order of the
	// descriptors.
	theirs []*os.File
	// over is closed when bubblewrap is gone.
	over chan struct{}
}

// endTime bounds the wait for processes that were killed.
const endTime = 5 * time.Second

// Descriptors of bubblewrap. 3 and 4 control the browser; only these and the gate are
// passed on.
const (
	filterFD = 5
	statusFD = 6
	gateFD   = 7
)

// newLeash creates the pipes and sockets for one start. End it.
func newLeash(filter []byte) (*leash, error) {
	l := &leash{inner: bubblewrap.NewProcess(), over: make(chan struct{})}
	if err := l.connect(filter); err != nil {
		l.closeTheirs()
		if l.status != nil {
			_ = l.status.Close()
		}
		return nil, err
	}
	go bubblewrap.AnswerAtGate(l.gate)
	go func() {
		defer close(l.over)
		bubblewrap.ReadStatus(l.status, l.inner)
		// bubblewrap may have ended before the kernel was told to end the browser with
		// it.
		_ = l.inner.Kill()
	}()
	return l, nil
}

func (l *leash) connect(filter []byte) error {
	content, err := readable(filter)
	if err != nil {
		return err
	}
	l.theirs = append(l.theirs, content)
	status, report, err := os.Pipe()
	if err != nil {
		return err
	}
	l.status, l.theirs = status, append(l.theirs, report)
	gate, asking, err := bubblewrap.OpenGate()
	if err != nil {
		return err
	}
	l.gate, l.theirs = gate, append(l.theirs, asking)
	return nil
}

// hold connects a command that was not started yet. Killing the browser's init normally
// ends bubblewrap, too. bubblewrap itself is killed only if that fails, because the
// kernel ends the browser with it only once the whole sandbox exists.
func (l *leash) hold(cmd *exec.Cmd) {
	cmd.ExtraFiles = append(cmd.ExtraFiles, l.theirs...)
	cmd.Cancel, cmd.WaitDelay = l.inner.Kill, endTime
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// closeTheirs is called after the command was started, or failed to start.
func (l *leash) closeTheirs() {
	for _, file := range l.theirs {
		_ = file.Close()
	}
	l.theirs = nil
}

// end waits until nothing is left of a browser that was told to end. Call closeTheirs
// before.
func (l *leash) end() {
	_ = l.gate.Close()
	_ = l.status.SetReadDeadline(time.Now().Add(endTime))
	<-l.over
	_ = l.status.Close()
	l.inner.AwaitEnd(endTime)
}

// readable returns a file from which a process reads a content that fits into a pipe.
func readable(content []byte) (*os.File, error) {
	theirs, feed, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	if _, err = feed.Write(content); err != nil {
		_ = theirs.Close()
		_ = feed.Close()
		return nil, err
	}
	return theirs, feed.Close()
}
