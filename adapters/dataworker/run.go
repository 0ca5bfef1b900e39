package dataworker

import (
	"errors"
	"net/http"

	"github.com/atelierhq/atelier/adapters/internal/datawire"
	"github.com/atelierhq/atelier/adapters/internal/workerprocess"
	"github.com/atelierhq/atelier/ports/backend"
)

// Command is the argument with which a program calls Run.
const Command = "data-worker"

// Backend is all of an engine.
type Backend interface {
	datawire.Engine
	Close() error
}

// Open opens the engine of a worker. Mails go to post, requests to providers of OAuth through
// client.
type Open func(post backend.Post, client *http.Client) (Backend, error)

// Run is the main function of a worker. It limits itself, opens the engine, and serves requests
// until the service closes its connection.
func Run(open Open) error {
	requests, err := workerprocess.Connection(requestConnection)
	if err != nil {
		return err
	}
	host, err := workerprocess.Connection(hostConnection)
	if err != nil {
		return err
	}
	if err := limits.Apply(); err != nil {
		return err
	}
	client, err := newHostClient(host)
	if err != nil {
		return err
	}
	engine, err := open(client, client.outgoing())
	if err != nil {
		return err
	}
	return errors.Join(serve(requests, datawire.Handler{Engine: engine}), engine.Close())
}
