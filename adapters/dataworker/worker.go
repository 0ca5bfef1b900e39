package dataworker

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/atelierhq/atelier/adapters/internal/workerprocess"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Command is the argument with which a program calls Run.
const Command = "data-worker"

// Backend is all of an engine.
type Backend interface {
	backend.Engine
	backend.Queries
	backend.Snapshots
	backend.Switches
	backend.Transfers
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
	return errors.Join(Serve(requests, engine), engine.Close())
}

// Serve answers the requests of the service until the connection is closed.
func Serve(conn net.Conn, engine Backend) error {
	worker := &worker{engine}
	return serve(conn, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// No http.ServeMux: it redirects paths that are not clean.
		if name, isCall := strings.CutPrefix(r.URL.Path, callPath); isCall {
			worker.call(w, r, name)
			return
		}
		worker.serve(w, r)
	}))
}

type worker struct{ engine Backend }

// serve carries out the request of an end user.
func (s *worker) serve(w http.ResponseWriter, r *http.Request) {
	var place backend.Place
	var as backend.Identity
	err := errors.Join(json.Unmarshal([]byte(r.Header.Get(headerPlace)), &place), json.Unmarshal([]byte(r.Header.Get(headerAs)), &as))
	if err != nil {
		sendError(w, core.Wrap(core.CodeUnavailable, err, "the request has no place"))
		return
	}
	r.RemoteAddr = r.Header.Get(headerClient)
	for _, name := range []string{headerPlace, headerAs, headerClient} {
		r.Header.Del(name)
	}
	s.engine.Serve(w, r, place, as)
}

// call carries out a call of the port.
func (s *worker) call(w http.ResponseWriter, r *http.Request, name string) {
	var in call
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		sendError(w, err)
		return
	}
	switch name {
	case "export":
		stream(w, func(to io.Writer) error { return s.engine.Export(r.Context(), in.Place, to) })
		return
	case "dump":
		stream(w, func(to io.Writer) error { return s.engine.Dump(r.Context(), in.Place, in.Collection, to) })
		return
	}
	out, err := s.do(r.Context(), name, in)
	if err != nil {
		sendError(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(out)
}

func (s *worker) do(ctx context.Context, name string, in call) (out reply, err error) {
	switch name {
	case "schema":
		out.Schema, err = s.engine.Schema(ctx, in.Place)
	case "check":
		err = s.engine.Check(ctx, in.Place, in.Schema)
	case "apply":
		err = s.engine.Apply(ctx, in.Place, in.Schema)
	case "weigh":
		out.Counts, err = s.engine.Weigh(ctx, in.Place, in.Changes)
	case "query":
		out.Table, err = s.engine.Query(ctx, in.Place, in.SQL)
	case "stats":
		out.Stats.Stats, err = s.engine.Stats(ctx, in.Place)
		out.Stats.ByCollection = out.Stats.Collections
	case "remove":
		err = s.engine.Remove(ctx, in.Place)
	case "snapshot":
		out.Bytes, err = s.engine.Snapshot(ctx, in.Place, in.ID)
	case "restore":
		err = s.engine.Restore(ctx, in.Place, in.ID)
	case "forget":
		err = s.engine.Forget(ctx, in.Place, in.ID)
	case "copy":
		err = s.engine.Copy(ctx, in.Place, in.To)
	case "stage":
		err = s.engine.Stage(ctx, in.Place, in.Schema, in.Switch)
	case "staged":
		out.Switch, err = s.engine.Staged(ctx, in.Place)
	case "settle":
		err = s.engine.Settle(ctx, in.Place, in.Keep)
	case "insert":
		err = s.engine.Insert(ctx, in.Place, in.Collection, in.Records)
	default:
		err = core.Errorf(core.CodeInternal, "a data worker has no call %q", name)
	}
	return out, err
}

// trailerError names the trailer that says how a stream ended.
const trailerError = "Atelier-Error"

// stream answers with what a call writes. What goes wrong once it has begun is in the trailer.
func stream(w http.ResponseWriter, write func(to io.Writer) error) {
	w.Header().Set("Trailer", trailerError)
	out := &counter{ResponseWriter: w}
	err := write(out)
	if err != nil && out.sent == 0 {
		sendError(w, err)
		return
	}
	if err != nil {
		text, _ := json.Marshal(failureOf(err))
		w.Header().Set(trailerError, string(text))
	}
}

// counter counts what was sent.
type counter struct {
	http.ResponseWriter
	sent int
}

// Write implements io.Writer.
func (c *counter) Write(content []byte) (int, error) {
	n, err := c.ResponseWriter.Write(content)
	c.sent += n
	return n, err
}
