package chromium

import (
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/bubblewrap"
)

// leash is what holds one browser, from before it is started until nothing of it is
// left, so that no moment is too early to end it.
type leash struct {
	inner *bubblewrap.Process
	// gate is where the browser waits to begin.
	gate   *net.UnixConn
	status *os.File
	// theirs are the ends that the started process has, in the order of the descriptors.
	theirs []*os.File
	// over is closed when bubblewrap is gone.
	over chan struct{}
}

// endTime bounds the wait for processes that were killed.
const endTime = 5 * time.Second

// Descriptors of bubblewrap. The browser is steered over 3 and 4, and the gate alone is
// handed on besides.
const (
	filterFD = 5
	statusFD = 6
	gateFD   = 7
)

// newLeash makes what one start takes. End it.
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
		// bubblewrap may have ended before the kernel was told to end the browser with it.
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

// hold ties a command that was not started yet. bubblewrap itself is not killed unless
// the death of the browser's init does not end it: that it dies is what the kernel would
// end the browser for, and only once all of it is there.
func (l *leash) hold(cmd *exec.Cmd) {
	cmd.ExtraFiles = append(cmd.ExtraFiles, l.theirs...)
	cmd.Cancel, cmd.WaitDelay = l.inner.Kill, endTime
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// closeTheirs is called when the command was started, or never will be.
func (l *leash) closeTheirs() {
	for _, file := range l.theirs {
		_ = file.Close()
	}
	l.theirs = nil
}

// end waits until nothing of a browser is left that was told to end. closeTheirs comes
// first.
func (l *leash) end() {
	_ = l.gate.Close()
	_ = l.status.SetReadDeadline(time.Now().Add(endTime))
	<-l.over
	_ = l.status.Close()
	l.inner.AwaitEnd(endTime)
}

// readable is a file from which a process reads a content that a pipe holds whole.
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
