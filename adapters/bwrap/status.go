package bwrap

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"

	"golang.org/x/sys/unix"
)

// wires are the pipes between the service and bubblewrap.
type wires struct {
	status *os.File
	theirs []*os.File
}

// wire gives the process its descriptors besides the standard ones.
func wire(cmd *exec.Cmd, how launch) (*wires, error) {
	w := &wires{}
	if !how.reports {
		return w, nil
	}
	filter, feed, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	w.theirs = append(w.theirs, filter)
	// A pipe holds the whole program, so nobody has to read it yet.
	_, err = feed.Write(how.filter)
	if err = errors.Join(err, feed.Close()); err != nil {
		w.close()
		return nil, err
	}
	status, report, err := os.Pipe()
	if err != nil {
		w.close()
		return nil, err
	}
	w.status, w.theirs = status, append(w.theirs, report)
	cmd.ExtraFiles = w.theirs
	return w, nil
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
			end = ending{true, *report.ExitCode}
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
