package dataworker

import (
	"errors"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/datawire"
	"github.com/atelierhq/atelier/adapters/internal/shorthttp"
	"github.com/atelierhq/atelier/adapters/internal/workerprocess"
	"github.com/atelierhq/atelier/core"
)

// Connections of a worker, by workerprocess.Connection.
const (
	// requestConnection has the requests of the service, except for short ones, which
	// shortConnection has. hostConnection has the requests of the worker.
	requestConnection = iota
	shortConnection
	hostConnection
	connections
)

// process is a running worker. Any goroutine may use it.
type process struct {
	*workerprocess.Process
	conn  *http.ClientConn
	short *shorthttp.Client
}

var _ workerprocess.Worker = (*process)(nil)

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
	conn, err := connect(started.Connections[requestConnection])
	if err != nil {
		started.End(0)
		return nil, core.Wrap(core.CodeUnavailable, err, "the backend could not be started")
	}
	go func() {
		_ = serve(started.Connections[hostConnection], host{config.Post, config.SignIns, config.Client}.handler())
	}()
	p := &process{started, conn, shorthttp.NewClient(started.Connections[shortConnection], conn)}
	go func() {
		// Kill a worker that breaks the protocol. One that ends because it was told to may finish.
		if err := p.short.Err(); !errors.Is(err, net.ErrClosed) {
			p.Kill()
		}
	}()
	return p, nil
}

// ask sends a request of an end user. Answers about records and sign-ins are never streams.
func (p *process) ask(r *http.Request) (*http.Response, error) {
	if shorthttp.IsShort(r) && strings.HasPrefix(r.URL.Path, "/api/collections/") {
		return p.short.RoundTrip(r)
	}
	return datawire.Ask(p.conn, r)
}

// Usable implements workerprocess.Worker.
func (p *process) Usable() bool { return p.Alive() }

// closing is how long a worker may take to close its databases before it is killed.
const closing = 10 * time.Second

// Dismiss implements workerprocess.Worker.
func (p *process) Dismiss() { p.End(closing) }
