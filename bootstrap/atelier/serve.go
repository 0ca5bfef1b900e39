package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/atelierhq/atelier/adapters/bwrap"
	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/bootstrap/datadir"
	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/settings"
)

// Limits of the server. Answers have no total limit, because some are streams: each write
// has its own.
const (
	headerTime     = 10 * time.Second
	idleTime       = 2 * time.Minute
	maxHeaderBytes = 64 << 10
	// stopTime is how long a stop may take.
	stopTime = 20 * time.Second
)

// serve answers requests until ctx ends, and then stops gracefully.
func (c *command) serve(ctx context.Context, _ []string) error {
	leave, err := datadir.Occupy(ctx, c.settings, c.log)
	if err != nil {
		return err
	}
	defer leave()
	limitMemory()
	app, release, err := local.New(ctx, c.settings, c.log)
	if err != nil {
		return err
	}
	defer release()
	if err := app.Start(ctx); err != nil {
		return errors.Join(err, app.Close(ctx))
	}
	listener, err := net.Listen("tcp", c.settings.ListenAddr)
	if err != nil {
		return errors.Join(fmt.Errorf("LISTEN_ADDR: %w", err), app.Close(ctx))
	}
	secure, err := c.listenSecurely(app)
	if err != nil {
		return errors.Join(err, listener.Close(), app.Close(ctx))
	}
	c.greet(listener.Addr())
	c.sayCommands(app.Sandbox.Available(ctx))
	return c.answer(ctx, app, listener, secure)
}

// collab is serve for the rooms of projects alone.
func (c *command) collab(ctx context.Context, args []string) error {
	if c.settings.Exclusive() {
		return errors.New("NATS_URL is not set: a process for rooms follows the other processes over NATS")
	}
	c.settings.Part, c.settings.Prepare = settings.PartRooms, false
	c.settings.ACME = settings.ACME{}
	return c.serve(ctx, args)
}

// greet prints the address of the service and what an operator should know.
func (c *command) greet(address net.Addr) {
	c.log.Info("atelier is ready", "version", c.settings.Version, "url", c.settings.AppURL.String(), "address", address.String(), "data", c.settings.DataDir)
	if c.settings.SharesSite() {
		c.log.Warn("published sites share a registrable domain with the API, so a site can send requests that count as same-site: give APP_DOMAIN a domain of its own",
			"APP_URL", c.settings.AppURL.String(), "APP_DOMAIN", c.settings.AppDomain)
	}
	if c.settings.AI.Kind == "" {
		c.log.Info("no platform AI provider: set AI_PROVIDER, or let workspaces add their own")
	}
}

// sayCommands says whether and how the agent can run commands.
func (c *command) sayCommands(missing error) {
	switch {
	case c.settings.Sandbox == bwrap.ModeUnsafe:
		c.log.Warn("the agent's commands run WITHOUT ISOLATION: anyone who may write to the agent can do everything on this machine that this service can (SANDBOX=unsafe)")
	case missing != nil && c.settings.Sandbox == bwrap.ModeBwrap:
		c.log.Warn("SANDBOX=bwrap, but the agent cannot run commands", "error", missing)
	case missing != nil:
		c.log.Info("the agent cannot run commands", "reason", missing)
	case os.Geteuid() == 0:
		c.log.Warn("this service runs as root: run it as an ordinary user, which isolates the agent's commands better")
	}
}

// answer serves until ctx ends. Then it accepts no new requests, stops and stores runs,
// which ends their streams, and closes what is left.
func (c *command) answer(ctx context.Context, app *bootstrap.App, listener net.Listener, secure *secureListener) error {
	requests, endRequests := context.WithCancel(context.WithoutCancel(ctx))
	defer endRequests()
	server := newServer(app, c.log)
	server.BaseContext = func(net.Listener) context.Context { return requests }
	failed := make(chan error, 2)
	if secure != nil {
		defer secure.certificates.Close()
		secure.attach(server)
		go func() { failed <- unlessClosed(server.ServeTLS(secure, "", "")) }()
	}
	go func() { failed <- c.listen(server, listener) }()
	select {
	case err := <-failed:
		return errors.Join(err, app.Close(context.WithoutCancel(ctx)))
	case <-ctx.Done():
	}
	c.log.Info("stopping")
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	drained := make(chan error, 1)
	go func() { drained <- server.Shutdown(bounded) }()
	err := app.StopRuns(bounded)
	endRequests()
	return errors.Join(err, <-drained, app.Close(bounded))
}

func newServer(handler http.Handler, errs *slog.Logger) *http.Server {
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeaderBytes,
		ErrorLog: log.New(handshakeFilter{errs}, "", 0),
	}
}

func (c *command) listen(server *http.Server, listener net.Listener) error {
	if c.settings.TLSCert != "" {
		return unlessClosed(server.ServeTLS(listener, c.settings.TLSCert, c.settings.TLSKey))
	}
	return unlessClosed(server.Serve(listener))
}
