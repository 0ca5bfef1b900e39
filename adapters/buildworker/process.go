package buildworker

import (
	"time"

	"github.com/atelierhq/atelier/adapters/internal/workerprocess"
)

// process is a started worker. One goroutine uses it at a time.
type process struct {
	*workerprocess.Process
	link *link
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
	started, err := workerprocess.Start(workerprocess.Config{
		Name: "build worker", Command: config.Command, Readable: config.Readable, Writable: config.Writable, Log: config.Log,
	})
	if err != nil {
		return nil, err
	}
	return &process{Process: started, link: newLink(started.Connections[0])}, nil
}

// discard ends the process, if it has not ended, because it can no longer be used. A
// process that is about to end by itself gets time to say why.
func (p *process) discard() {
	select {
	case <-p.Gone():
	case <-time.After(grace):
	}
	p.End(0)
}
