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

// Open opens the engine of a worker.
type Open func(service Service) (Backend, error)

// Service is the part of the service that an engine can reach: the mail queue, the OAuth
// providers, and a client for requests to them.
type Service struct {
	Post    backend.Post
	SignIns backend.SignIns
	Client  *http.Client
}

// Run is the main function of a worker. It confines the process, opens the engine, and
// serves requests until the service closes its connection.
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
	sendThrough(client.conn)
	engine, err := open(Service{client, client, client.outgoing()})
	if err != nil {
		return err
	}
	return errors.Join(serve(requests, datawire.Handler{Engine: engine}, requestBuffer), engine.Close())
}

// sendThrough lets what uses http.DefaultClient reach the network through the service: PocketBase
// reads Apple's keys with it. Nothing else in a worker has a network.
func sendThrough(service *http.ClientConn) {
	client := http.DefaultClient
	client.Transport = fetcher{service}
}
