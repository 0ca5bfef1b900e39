package credentials

import (
	"encoding/gob"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/crypto/argon2"

	"github.com/atelierhq/atelier/core"
)

// job is a hash to compute.
type job struct {
	Password, Salt    []byte
	Passes, MemoryKiB uint32
	Lanes             uint8
	Length            uint32
}

func (j job) sum() []byte {
	return argon2.IDKey(j.Password, j.Salt, j.Passes, j.MemoryKiB, j.Lanes, j.Length)
}

const (
	// workerIdle is after how long an idle worker ends.
	workerIdle = 10 * time.Second
	// maxSum bounds the time for a hash, in a worker with the lowest priority on a busy
	// machine.
	maxSum = time.Minute
)

// workers is a worker pool of processes that compute hashes. A hash takes a whole
// processor for some 20 ms, and leaves 7 MiB of garbage. In the service's own process it
// would need the priority of everything else. Whenever the garbage collector stops the
// world it waits for the thread that hashes, which the kernel would not schedule if its
// priority were lower.
type workers struct {
	command []string
	log     *slog.Logger

	mu     sync.Mutex
	idle   []*worker
	closed bool
}

func newWorkers(config Config) *workers {
	return &workers{command: config.Command, log: config.Log}
}

// sum computes a hash in a worker, and in another one if that ends meanwhile. If no worker
// can be started it computes the hash in this process, because otherwise nobody could sign
// in.
func (w *workers) sum(wanted job) ([]byte, error) {
	if len(w.command) == 0 {
		return wanted.sum(), nil
	}
	var failed error
	for range 2 {
		worker, err := w.take()
		if err != nil {
			w.log.Warn("could not start a worker for password hashes: hashing in the service", "error", err)
			return wanted.sum(), nil
		}
		hash, err := worker.sum(wanted)
		if err == nil {
			w.put(worker)
			return hash, nil
		}
		worker.end()
		failed = errors.Join(failed, err)
	}
	return nil, core.Wrap(core.CodeUnavailable, failed, "the password was not checked")
}

// take returns an idle worker for exclusive use, or starts one.
func (w *workers) take() (*worker, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if last := len(w.idle) - 1; last >= 0 {
		worker := w.idle[last]
		w.idle = w.idle[:last]
		worker.rest.Stop()
		return worker, nil
	}
	return startWorker(w.command)
}

// put returns a worker to the pool for some time.
func (w *workers) put(worker *worker) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		worker.end()
		return
	}
	w.idle = append(w.idle, worker)
	worker.rest = time.AfterFunc(workerIdle, func() { w.dismiss(worker) })
}

// dismiss ends a worker, unless it was taken meanwhile.
func (w *workers) dismiss(worker *worker) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, waiting := range w.idle {
		if waiting == worker {
			w.idle = append(w.idle[:i], w.idle[i+1:]...)
			worker.end()
			return
		}
	}
}

func (w *workers) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	for _, worker := range w.idle {
		worker.rest.Stop()
		worker.end()
	}
	w.idle = nil
}

// worker is a process that computes one hash at a time.
type worker struct {
	process *os.Process
	// gone is closed when the process has ended.
	gone chan struct{}
	// in and out are the worker's standard input and output.
	in, out *os.File
	jobs    *gob.Encoder
	sums    *gob.Decoder
	// rest is the timer that ends an idle worker.
	rest *time.Timer
}

// startWorker starts a worker that ends with this process, by the kernel's parent death
// signal and by the end of its input.
func startWorker(command []string) (*worker, error) {
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirIn.Close()
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	defer theirOut.Close()
	w := &worker{gone: make(chan struct{}), in: in, out: out, jobs: gob.NewEncoder(in), sums: gob.NewDecoder(out)}
	child := exec.Command(command[0], command[1:]...)
	child.Dir, child.Env = "/", []string{"GOMAXPROCS=1", "GOTRACEBACK=none"}
	child.Stdin, child.Stdout = theirIn, theirOut
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := w.live(child); err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	return w, nil
}

// live starts the process on a thread that waits for its end, because the kernel would end
// the process together with the thread.
func (w *worker) live(child *exec.Cmd) error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := child.Start()
		started <- err
		if err == nil {
			_ = child.Wait()
			close(w.gone)
		}
	}()
	err := <-started
	w.process = child.Process
	return err
}

func (w *worker) sum(wanted job) (hash []byte, err error) {
	if err := errors.Join(w.in.SetDeadline(time.Now().Add(maxSum)), w.out.SetDeadline(time.Now().Add(maxSum))); err != nil {
		return nil, err
	}
	if err := w.jobs.Encode(wanted); err != nil {
		return nil, err
	}
	if err := w.sums.Decode(&hash); err != nil {
		return nil, err
	}
	if len(hash) != int(wanted.Length) {
		return nil, errors.New("a worker answered with a hash of another length")
	}
	return hash, nil
}

// end ends the process and waits for that.
func (w *worker) end() {
	_ = w.process.Kill()
	<-w.gone
	_ = errors.Join(w.in.Close(), w.out.Close())
}
