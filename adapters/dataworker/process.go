package dataworker

import (
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/workerprocess"
	"github.com/atelierhq/atelier/core"
)

// Connections of a worker, by workerprocess.Connection.
const (
	// requestConnection has the requests of the service, hostConnection those of the worker.
	requestConnection = iota
	hostConnection
	connections
)

// process is a running worker. Any goroutine may use it.
type process struct {
	*workerprocess.Process
	conn *http.ClientConn
	// dismissed says that the worker was told to end.
	dismissed atomic.Bool
}

var (
	_ workerprocess.Worker = (*process)(nil)
	_ http.RoundTripper    = (*process)(nil)
)

// start starts a worker. failed is called if it ends and nobody has asked for that.
func start(config Config, failed func()) (*process, error) {
	if err := os.MkdirAll(config.tempDir(), 0o700); err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the backend could not be started")
	}
	writable := []string{config.Dir}
	if config.Shared != "" {
		writable = append(writable, config.Shared)
	}
	started, err := workerprocess.Start(workerprocess.Config{
		Name: "data worker", Command: config.Command, Env: append([]string{"TMPDIR=" + config.tempDir()}, config.Env...),
		Writable: writable, Connections: connections, Log: config.Log, Failed: failed,
	})
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the backend could not be started")
	}
	conn, err := connect(started.Connections[requestConnection], patience)
	if err != nil {
		started.End(0)
		return nil, core.Wrap(core.CodeUnavailable, err, "the backend could not be started")
	}
	go func() {
		_ = serve(started.Connections[hostConnection], host{config.Post, config.SignIns, config.Client}.handler(), 0)
	}()
	return &process{Process: started, conn: conn}, nil
}

// patience bounds how long a worker may not read anything of what it is sent. Reading waits for
// nothing else, so a worker that takes longer is stuck.
const patience = 10 * time.Second

// RoundTrip implements http.RoundTripper. It kills a worker whose connection takes no more requests:
// it is stuck, has broken the protocol, or has had all 2^30 requests that HTTP/2 can number. The
// next request then starts another.
func (p *process) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := p.conn.RoundTrip(r)
	if err != nil && r.Context().Err() == nil && p.conn.Available() == 0 && p.conn.InFlight() < maxStreams && !p.dismissed.Load() {
		p.Kill()
	}
	return answer, err
}

// Usable implements workerprocess.Worker.
func (p *process) Usable() bool { return p.Alive() }

// closing is how long a worker may take to close its databases before it is killed.
const closing = 10 * time.Second

// Dismiss implements workerprocess.Worker.
func (p *process) Dismiss() {
	p.dismissed.Store(true)
	p.End(closing)
}
