package bwrap

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"

	"golang.org/x/sys/unix"
)

// wires are the pipes between the service and bubblewrap.
type wires struct {
	status *os.File
	// door is where the port of the command's network comes out; nil without one.
	door   *net.UnixConn
	theirs []*os.File
}

// wire gives the process its descriptors besides the standard ones.
func wire(cmd *exec.Cmd, how launch, networked bool) (*wires, error) {
	w := &wires{}
	if !how.reports {
		return w, nil
	}
	if err := w.connect(how, networked); err != nil {
		w.close()
		return nil, err
	}
	cmd.ExtraFiles = w.theirs
	return w, nil
}

// connect makes the ends, in the order of the descriptors.
func (w *wires) connect(how launch, networked bool) error {
	if err := w.hand(how.filter); err != nil {
		return err
	}
	status, report, err := os.Pipe()
	if err != nil {
		return err
	}
	w.status, w.theirs = status, append(w.theirs, report)
	if err := w.hand(how.options); err != nil || !networked {
		return err
	}
	door, inner, err := newDoor()
	if err != nil {
		return err
	}
	w.door, w.theirs = door, append(w.theirs, inner)
	return nil
}

// hand gives the process something to read: a few KiB, which a pipe holds whole,
// so that nobody has to read it yet.
func (w *wires) hand(content []byte) error {
	theirs, feed, err := os.Pipe()
	if err != nil {
		return err
	}
	w.theirs = append(w.theirs, theirs)
	_, err = feed.Write(content)
	return errors.Join(err, feed.Close())
}

// closeTheirs closes the ends that the started process has.
func (w *wires) closeTheirs() {
	for _, file := range w.theirs {
		file.Close()
	}
	w.theirs = nil
}

func (w *wires) close() {
	w.closeTheirs()
	if w.status != nil {
		w.status.Close()
	}
	if w.door != nil {
		w.door.Close()
	}
}

// readStatus reads what bubblewrap reports until it is gone: first the process
// that is the init of the command, later the command's exit code. That is missing
// when the command never started or did not end by itself.
func readStatus(from io.Reader, inner *process) ending {
	var end ending
	reports := json.NewDecoder(from)
	for {
		var report struct {
			ChildPID int  `json:"child-pid"`
			ExitCode *int `json:"exit-code"`
		}
		if err := reports.Decode(&report); err != nil {
			return end
		}
		if report.ChildPID != 0 {
			inner.set(report.ChildPID)
		}
		if report.ExitCode != nil {
			end = ending{exited: true, code: *report.ExitCode}
		}
	}
}

// process is one that becomes known while it runs.
type process struct {
	mu  sync.Mutex
	pid int
	// handle stays the process's when its number is given to another one; -1 is
	// none.
	handle int
}

func newProcess(pid int) *process { return &process{pid: pid, handle: -1} }

func (p *process) set(pid int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pid = pid
	if handle, err := unix.PidfdOpen(pid, 0); err == nil {
		p.handle = handle
	}
}

func (p *process) id() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pid
}

// awaitEnd waits until the process is gone. The init of a command is gone when
// all processes beside it are.
func (p *process) awaitEnd() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.handle < 0 {
		return
	}
	defer unix.Close(p.handle)
	for {
		_, err := unix.Poll([]unix.PollFd{{Fd: int32(p.handle), Events: unix.POLLIN}}, int(endTime.Milliseconds()))
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
