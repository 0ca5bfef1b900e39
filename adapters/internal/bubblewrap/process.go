package bubblewrap

import (
	"errors"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Process is a process whose id becomes known while it runs. It is safe for concurrent
// use.
type Process struct {
	// mu guards the fields below.
	mu  sync.Mutex
	pid int
	// handle refers to this process even after its id is reused; -1 means no handle.
	handle int
	// killed records that the process was killed, or will be as soon as it is known. over says that
	// nothing may be signalled any more: the handle is closed, and the number may be another's.
	killed, over bool
}

// NewProcess returns a process that is not known yet.
func NewProcess() *Process { return &Process{handle: -1} }

// Set makes the process known, once. A process that is already gone stays unknown,
// because its id may have been reused.
func (p *Process) Set(pid int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pid != 0 || p.over {
		return
	}
	handle, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return
	}
	p.pid = pid
	if err == nil {
		p.handle = handle
	}
	if p.killed {
		_ = p.signalLocked()
	}
}

// ID returns the process id, 0 while the process is not known.
func (p *Process) ID() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pid
}

// Kill ends the process now, or as soon as it is known. When the init of a command ends,
// all of the command's processes end.
func (p *Process) Kill() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.killed = true
	if p.pid == 0 || p.over {
		return nil
	}
	return p.signalLocked()
}

// WasKilled reports whether Kill was called.
func (p *Process) WasKilled() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.killed
}

// signalLocked kills the process. A process that is gone is no error. Kernels before 5.3 have no
// handles: there the number has to do, as long as bubblewrap has not told of the process's end.
func (p *Process) signalLocked() error {
	var err error
	if p.handle >= 0 {
		err = unix.PidfdSendSignal(p.handle, unix.SIGKILL, nil, 0)
	} else {
		err = unix.Kill(p.pid, unix.SIGKILL)
	}
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	return err
}

// AwaitEnd waits until the process is gone, at most for the given time. The init of a
// command is gone after all other processes of the command. Kill does nothing afterwards.
func (p *Process) AwaitEnd(within time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	if p.handle < 0 {
		return
	}
	defer func() {
		_ = unix.Close(p.handle)
		p.handle = -1
	}()
	for deadline := time.Now().Add(within); ; {
		left := time.Until(deadline)
		_, err := unix.Poll([]unix.PollFd{{Fd: int32(p.handle), Events: unix.POLLIN}}, int(max(0, left.Milliseconds())))
		if !errors.Is(err, unix.EINTR) || left <= 0 {
			return
		}
	}
}
