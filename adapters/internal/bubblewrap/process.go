package bubblewrap

import (
	"errors"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Process is one that becomes known while it runs. It may be used by any number of
// goroutines at once.
type Process struct {
	mu  sync.Mutex
	pid int
	// handle stays the process's when its number is given to another one; -1 is
	// none.
	handle int
	// killed says that it was killed, or is to be as soon as it is known.
	killed bool
}

// NewProcess returns a process that is not known yet.
func NewProcess() *Process { return &Process{handle: -1} }

// Set makes the process known, once. One that is gone already stays unknown: its number
// may be another one's.
func (p *Process) Set(pid int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pid != 0 {
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
		_ = p.signal()
	}
}

// ID is 0 as long as the process is not known.
func (p *Process) ID() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pid
}

// Kill ends the process now, or as soon as it is known. The init of a command takes
// all processes beside it with it.
func (p *Process) Kill() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.killed = true
	if p.pid == 0 {
		return nil
	}
	return p.signal()
}

// WasKilled reports whether Kill was called.
func (p *Process) WasKilled() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.killed
}

// signal kills the process, under mu. One that is gone is no error.
func (p *Process) signal() error {
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

// AwaitEnd waits until the process is gone, for the given time at most. The init of a
// command is gone when all processes beside it are. Nothing may be asked of the
// process afterwards.
func (p *Process) AwaitEnd(within time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.handle < 0 {
		return
	}
	defer unix.Close(p.handle)
	for deadline := time.Now().Add(within); ; {
		left := time.Until(deadline)
		_, err := unix.Poll([]unix.PollFd{{Fd: int32(p.handle), Events: unix.POLLIN}}, int(max(0, left.Milliseconds())))
		if !errors.Is(err, unix.EINTR) || left <= 0 {
			return
		}
	}
}
