package dataworker

import (
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/excerpt"
	"github.com/atelierhq/atelier/adapters/internal/landlock"
)

// process is a started worker. Any goroutine may use it.
type process struct {
	conn    *http.ClientConn
	command *exec.Cmd
	conns   []net.Conn
	log     *slog.Logger
	// gone is closed when the process has ended; dismissed means that it was told to.
	gone      chan struct{}
	dismissed atomic.Bool
}

// start starts a worker.
func start(config Config) (*process, error) {
	requests, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	back, theirBack, err := socketPair()
	if err != nil {
		return nil, errors.Join(err, requests.Close())
	}
	defer theirBack.Close()
	conn, err := connect(requests)
	if err != nil {
		return nil, errors.Join(err, requests.Close(), back.Close())
	}
	p := &process{conn: conn, conns: []net.Conn{requests, back}, log: config.Log, gone: make(chan struct{})}
	p.command = exec.Command(config.Command[0], config.Command[1:]...)
	p.command.Dir = "/"
	p.command.Env = append([]string{"GOTRACEBACK=single", "GOMAXPROCS=" + strconv.Itoa(runtime.GOMAXPROCS(0)), "TMPDIR=" + config.tempDir()}, config.Env...)
	output := &excerpt.Excerpt{}
	p.command.Stdin, p.command.ExtraFiles, p.command.Stderr, p.command.WaitDelay = theirs, []*os.File{theirBack}, output, time.Second
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	go p.live(config, output, started)
	if err := <-started; err != nil {
		return nil, errors.Join(err, requests.Close(), back.Close())
	}
	go func() { _ = serve(back, host{config.Post, config.Client}.handler()) }()
	return p, nil
}

// live starts the process and waits for its end. The kernel ends the process together with the
// thread that started it, so the goroutine stays locked to the thread. The thread's restrictions
// apply to the process and remain, so the thread is not reused.
func (p *process) live(config Config, output *excerpt.Excerpt, started chan<- error) {
	runtime.LockOSThread()
	rules := landlock.Rules{Program: config.Command[0], Writable: []string{config.Dir}}
	err := rules.Restrict()
	if err == nil {
		err = p.command.Start()
	}
	started <- err
	if err != nil {
		return
	}
	err = p.command.Wait()
	if !p.dismissed.Load() {
		p.log.Warn("a data worker ended", "error", err, "output", output.String())
	}
	close(p.gone)
	for _, conn := range p.conns {
		_ = conn.Close()
	}
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

// closing is how long a worker may take to close its databases before it is killed.
const closing = 10 * time.Second

// dismiss ends the process and waits for its end. Closing the connection lets it finish.
func (p *process) dismiss() {
	p.dismissed.Store(true)
	for _, conn := range p.conns {
		_ = conn.Close()
	}
	select {
	case <-p.gone:
	case <-time.After(closing):
		_ = p.command.Process.Kill()
		<-p.gone
	}
}
