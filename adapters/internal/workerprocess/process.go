package workerprocess

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/internal/landlock"
)

// Config configures a Process.
type Config struct {
	// Name is what the log calls the worker, such as "data worker".
	Name string
	// Command is the path of its program, and its arguments.
	Command []string
	// Env are variables of its environment besides those of Go's runtime.
	Env []string
	// Readable are directories that it may read; in Writable it may also write. If the kernel
	// has Landlock, it sees nothing else.
	Readable, Writable []string
	// Connections is how many connections to it there are; 0 is one.
	Connections int
	// Log is told of an end that nobody asked for, and Failed is called after it, if there is one.
	Log    *slog.Logger
	Failed func()
}

// Process is a started worker. Any goroutine may use it.
type Process struct {
	// Connections are the service's ends of the connections, in the order of Connection. They stay
	// open until End, so what a worker sent before its end can still be read.
	Connections []net.Conn

	config  Config
	command *exec.Cmd
	output  excerpt
	// gone is closed when the process has ended; expected says that it was told to.
	gone     chan struct{}
	expected atomic.Bool
}

// Start starts a worker.
func Start(config Config) (*Process, error) {
	if err := hideDescriptors(); err != nil {
		return nil, err
	}
	p := &Process{config: config, gone: make(chan struct{})}
	p.command = exec.Command(config.Command[0], config.Command[1:]...)
	p.command.Dir = "/"
	// A trace of a stack overflow would have as many lines as there were levels of nesting. A
	// worker does not see how many processors its control group has.
	p.command.Env = append([]string{"GOTRACEBACK=none", "GOMAXPROCS=" + strconv.Itoa(runtime.GOMAXPROCS(0))}, config.Env...)
	p.command.Stderr, p.command.WaitDelay = &p.output, time.Second
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	theirs, err := p.connect(max(1, config.Connections))
	defer func() {
		for _, file := range theirs {
			_ = file.Close()
		}
	}()
	if err != nil {
		p.disconnect()
		return nil, err
	}
	p.command.Stdin, p.command.ExtraFiles = theirs[0], theirs[1:]
	started := make(chan error)
	go p.live(started)
	if err := <-started; err != nil {
		p.disconnect()
		return nil, err
	}
	return p, nil
}

// connect makes n connections, and returns the worker's ends.
func (p *Process) connect(n int) (theirs []*os.File, err error) {
	for range n {
		conn, file, err := SocketPair()
		if err != nil {
			return theirs, err
		}
		p.Connections, theirs = append(p.Connections, conn), append(theirs, file)
	}
	return theirs, nil
}

func (p *Process) disconnect() {
	for _, conn := range p.Connections {
		_ = conn.Close()
	}
}

// live starts the process and waits for its end. The kernel ends the process together with the
// thread that started it, so the goroutine stays locked to the thread. The thread's restrictions
// apply to the process and remain, so the thread is not reused.
func (p *Process) live(started chan<- error) {
	runtime.LockOSThread()
	rules := landlock.Rules{Program: p.config.Command[0], Readable: p.config.Readable, Writable: p.config.Writable}
	err := rules.Restrict()
	if err == nil {
		err = p.command.Start()
	}
	started <- err
	if err != nil {
		return
	}
	err = p.command.Wait()
	if !p.expected.Load() {
		state := p.command.ProcessState
		p.config.Log.Warn("a worker process ended unexpectedly", "worker", p.config.Name, "error", err,
			"stderr", p.output.String(), "cpu", state.UserTime()+state.SystemTime(), "maxBytes", maxBytes(state))
		if p.config.Failed != nil {
			p.config.Failed()
		}
	}
	close(p.gone)
}

// maxBytes returns the peak memory of a process that has ended.
func maxBytes(state *os.ProcessState) int64 {
	if used, ok := state.SysUsage().(*syscall.Rusage); ok {
		return used.Maxrss * 1024
	}
	return 0
}

// ID returns the id of the process.
func (p *Process) ID() int { return p.command.Process.Pid }

// Gone returns a channel that is closed when the process has ended.
func (p *Process) Gone() <-chan struct{} { return p.gone }

// Alive reports whether the process is not yet known to have ended.
func (p *Process) Alive() bool {
	select {
	case <-p.gone:
		return false
	default:
		return true
	}
}

// KillFor is Kill because of a limit, which the log then names.
func (p *Process) KillFor(limit string) {
	p.config.Log.Info("a limit ends a worker process", "worker", p.config.Name, "process", p.ID(), "limit", limit)
	p.Kill()
}

// Kill ends the process at once because of what it does.
func (p *Process) Kill() { _ = p.command.Process.Kill() }

// End ends the process because it is no longer needed, and waits for its end. The end of its
// connections tells it to finish; after patience it is killed.
func (p *Process) End(patience time.Duration) {
	p.expected.Store(true)
	p.disconnect()
	late := time.AfterFunc(patience, p.Kill)
	defer late.Stop()
	<-p.gone
}

// hideDescriptors marks inherited descriptors close-on-exec. Go opens none that a worker would
// inherit, but the process that started the service may have.
func hideDescriptors() error {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return fmt.Errorf("could not hide open files from worker processes: %w", err)
	}
	for _, entry := range entries {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
	return nil
}

// SocketPair returns two connected sockets: a connection here, and a file to hand on.
func SocketPair() (net.Conn, *os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "service"), os.NewFile(uintptr(fds[1]), "worker")
	conn, err := net.FileConn(ours)
	if err := errors.Join(err, ours.Close()); err != nil {
		return nil, nil, errors.Join(err, theirs.Close())
	}
	return conn, theirs, nil
}
