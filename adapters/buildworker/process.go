package buildworker

import (
	"errors"
	"fmt"
	"github.com/atelierhq/atelier/adapters/internal/excerpt"
	"github.com/atelierhq/atelier/adapters/internal/landlock"
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
)

// process is a started worker. One goroutine uses it at a time.
type process struct {
	link    *link
	command *exec.Cmd
	said    *excerpt.Excerpt
	log     *slog.Logger
	// gone is closed when the process has ended.
	gone chan struct{}
	// dismissed means that it was told to end, so its end is no failure.
	dismissed atomic.Bool

	// rest is the timer that ends an idle process.
	rest *time.Timer
	// packages is the set with which it built last.
	packages string
	// loose means that a call was cancelled in it, and some work of that call may still
	// be running.
	loose bool
}

// start starts a worker.
func start(config Config) (*process, error) {
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	conn, err := net.FileConn(ours)
	if err := errors.Join(err, ours.Close()); err != nil {
		return nil, err
	}
	p := &process{link: newLink(conn), said: &excerpt.Excerpt{}, log: config.Log, gone: make(chan struct{})}
	p.command = exec.Command(config.Command[0], config.Command[1:]...)
	p.command.Dir = "/"
	// A worker gets only settings of Go's runtime. After a stack overflow, a trace would
	// have as many lines as there were levels of nesting. And a worker does not see how
	// many processors its control group has.
	p.command.Env = []string{"GOTRACEBACK=none", "GOMAXPROCS=" + strconv.Itoa(runtime.GOMAXPROCS(0))}
	p.command.Stdin, p.command.Stderr, p.command.WaitDelay = theirs, p.said, time.Second
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	go p.live(config, started)
	if err := <-started; err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return p, nil
}

func socketPair() (ours, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	return os.NewFile(uintptr(fds[0]), "service"), os.NewFile(uintptr(fds[1]), "worker"), nil
}

// live starts the process and waits for its end. The kernel ends the process together
// with the thread that started it, so the goroutine stays locked to the thread. The
// thread's restrictions apply to the process and remain, so the thread is not reused.
func (p *process) live(config Config, started chan<- error) {
	runtime.LockOSThread()
	err := config.rules().Restrict()
	if err == nil {
		err = p.command.Start()
	}
	started <- err
	if err != nil {
		return
	}
	err = p.command.Wait()
	if !p.dismissed.Load() {
		p.log.Warn("a build worker ended unexpectedly", "error", err, "stderr", p.said.String(), "cpu", p.cpu(), "maxBytes", p.maxBytes())
	}
	close(p.gone)
}

func (p *process) cpu() time.Duration {
	return p.command.ProcessState.UserTime() + p.command.ProcessState.SystemTime()
}

// maxBytes returns the peak memory of the process.
func (p *process) maxBytes() int64 {
	if used, ok := p.command.ProcessState.SysUsage().(*syscall.Rusage); ok {
		return used.Maxrss * 1024
	}
	return 0
}

// alive reports whether the process is not yet known to have ended.
func (p *process) alive() bool {
	select {
	case <-p.gone:
		return false
	default:
		return true
	}
}

// kill ends the process immediately. Any goroutine may call it.
func (p *process) kill() { _ = p.command.Process.Kill() }

// dismiss ends the process because it is no longer needed.
func (p *process) dismiss() {
	p.dismissed.Store(true)
	p.kill()
	_ = p.link.conn.Close()
}

// discard ends the process, if it has not ended, because it can no longer be used. A
// process that is about to end by itself gets time to say why.
func (p *process) discard() {
	select {
	case <-p.gone:
	case <-time.After(grace):
		p.dismissed.Store(true)
	}
	p.kill()
	_ = p.link.conn.Close()
}

// keepDescriptors marks inherited descriptors close-on-exec. Go opens none that a worker
// would inherit, but the process that started the service may have.
func keepDescriptors() error {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return fmt.Errorf("could not hide open files from build workers: %w", err)
	}
	for _, entry := range entries {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
	return nil
}

// rules are the files that a worker may reach.
func (c Config) rules() landlock.Rules {
	return landlock.Rules{Program: c.Command[0], Readable: c.Readable, Writable: c.Writable}
}
