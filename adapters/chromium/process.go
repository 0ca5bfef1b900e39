package chromium

import (
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/bubblewrap"
)

// process controls one browser from before its start until nothing of it is left, so that
// it can be ended at any moment.
type process struct {
	sandbox *bubblewrap.Process
	// gate is where the browser waits to begin.
	gate   *net.UnixConn
	status *os.File
	// childFiles are the started process's ends of the pipes, in the order of the
	// descriptors.
	childFiles []*os.File
	// done is closed when bubblewrap is gone.
	done chan struct{}
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

// newProcess creates the pipes and sockets for one start. End it.
func newProcess(filter []byte) (*process, error) {
	p := &process{sandbox: bubblewrap.NewProcess(), done: make(chan struct{})}
	if err := p.connect(filter); err != nil {
		p.closeChildFiles()
		if p.status != nil {
			_ = p.status.Close()
		}
		return nil, err
	}
	go bubblewrap.AnswerAtGate(p.gate)
	go func() {
		defer close(p.done)
		bubblewrap.ReadStatus(p.status, p.sandbox)
		// bubblewrap may have ended before the kernel was told to end the browser with
		// it.
		_ = p.sandbox.Kill()
	}()
	return p, nil
}

func (p *process) connect(filter []byte) error {
	content, err := readable(filter)
	if err != nil {
		return err
	}
	p.childFiles = append(p.childFiles, content)
	status, report, err := os.Pipe()
	if err != nil {
		return err
	}
	p.status, p.childFiles = status, append(p.childFiles, report)
	gate, asking, err := bubblewrap.OpenGate()
	if err != nil {
		return err
	}
	p.gate, p.childFiles = gate, append(p.childFiles, asking)
	return nil
}

// attach connects a command that was not started yet. Killing the browser's init normally
// ends bubblewrap, too. bubblewrap itself is killed only if that fails, because the
// kernel ends the browser with it only once the whole sandbox exists.
func (p *process) attach(cmd *exec.Cmd) {
	cmd.ExtraFiles = append(cmd.ExtraFiles, p.childFiles...)
	cmd.Cancel, cmd.WaitDelay = p.sandbox.Kill, endTime
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// closeChildFiles is called after the command was started, or failed to start.
func (p *process) closeChildFiles() {
	for _, file := range p.childFiles {
		_ = file.Close()
	}
	p.childFiles = nil
}

// end waits until nothing is left of a browser that was told to end. Call closeTheirs
// before.
func (p *process) end() {
	_ = p.gate.Close()
	_ = p.status.SetReadDeadline(time.Now().Add(endTime))
	<-p.done
	_ = p.status.Close()
	p.sandbox.AwaitEnd(endTime)
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
