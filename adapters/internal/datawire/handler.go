package datawire

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/ports/backend"
)

// Engine is all of an engine.
type Engine interface {
	backend.Engine
	backend.Lists
	backend.Queries
	backend.Snapshots
	backend.Switches
	backend.Transfers
}

// Handler serves an engine to trusted clients.
type Handler struct{ Engine Engine }

// ServeHTTP implements http.Handler. An http.ServeMux would redirect paths that are not clean.
func (s Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if tenant := core.ID(r.Header.Get(headerTenant)); tenant != "" {
		r = r.WithContext(fair.WithTenant(r.Context(), tenant))
	}
	if name, isCall := strings.CutPrefix(r.URL.Path, callPath); isCall {
		s.call(w, r, name)
		return
	}
	s.serve(w, r)
}

// serve serves a request of an end user.
func (s Handler) serve(w http.ResponseWriter, r *http.Request) {
	place, err := decodePlace(r.Header.Get(headerPlace))
	var as backend.Identity
	if who := r.Header.Get(headerAs); err == nil && who != "" {
		err = json.Unmarshal([]byte(who), &as)
	}
	if err != nil {
		SendError(w, core.Wrap(core.CodeUnavailable, err, "the request has no place"))
		return
	}
	r.RemoteAddr = r.Header.Get(headerClient)
	for _, name := range []string{headerPlace, headerAs, headerClient, headerTenant} {
		r.Header.Del(name)
	}
	s.Engine.Serve(w, r, place, as)
}

// call serves a call of the port.
func (s Handler) call(w http.ResponseWriter, r *http.Request, name string) {
	var in call
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		SendError(w, err)
		return
	}
	switch name {
	case "export":
		stream(w, func(to io.Writer) error { return s.Engine.Export(r.Context(), in.Place, to) })
		return
	case "dump":
		stream(w, func(to io.Writer) error { return s.Engine.Dump(r.Context(), in.Place, in.Collection, to) })
		return
	}
	out, err := s.do(r.Context(), name, in)
	if err != nil {
		SendError(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(out)
}

func (s Handler) do(ctx context.Context, name string, in call) (out reply, err error) {
	switch name {
	case "schema":
		out.Schema, err = s.Engine.Schema(ctx, in.Place)
	case "check":
		err = s.Engine.Check(ctx, in.Place, in.Schema)
	case "apply":
		err = s.Engine.Apply(ctx, in.Place, in.Schema)
	case "weigh":
		out.Counts, err = s.Engine.Weigh(ctx, in.Place, in.Changes)
	case "list":
		out.Page, err = s.Engine.List(ctx, in.Place, in.Collection, in.List)
	case "query":
		out.Table, err = s.Engine.Query(ctx, in.Place, in.SQL)
	case "stats":
		out.Stats.Stats, err = s.Engine.Stats(ctx, in.Place)
		out.Stats.ByCollection = out.Stats.Collections
	case "remove":
		err = s.Engine.Remove(ctx, in.Place)
	case "snapshot":
		out.Bytes, err = s.Engine.Snapshot(ctx, in.Place, in.ID)
	case "restore":
		err = s.Engine.Restore(ctx, in.Place, in.ID)
	case "forget":
		err = s.Engine.Forget(ctx, in.Place, in.ID)
	case "copy":
		err = s.Engine.Copy(ctx, in.Place, in.To)
	case "stage":
		err = s.Engine.Stage(ctx, in.Place, in.Schema, in.Switch)
	case "staged":
		out.Switch, err = s.Engine.Staged(ctx, in.Place)
	case "settle":
		err = s.Engine.Settle(ctx, in.Place, in.Keep)
	case "import":
		out.Changed, err = s.Engine.Insert(ctx, in.Place, in.Collection, in.Insertion)
	case "hold", "leave":
		err = s.hold(ctx, name, in)
	case "load":
		out.Load, err = s.load(ctx)
	default:
		err = core.Errorf(core.CodeInternal, "there is no call %q", name)
	}
	return out, err
}

// hold serves a call of backend.Holder, if the engine implements it.
func (s Handler) hold(ctx context.Context, name string, in call) error {
	holder, is := s.Engine.(backend.Holder)
	switch {
	case !is:
		return core.Errorf(core.CodeInternal, "there is no call %q", name)
	case name == "hold":
		return holder.Hold(ctx, in.Place.Project, in.Token)
	}
	return holder.Leave(ctx, in.Place.Project)
}

// load is zero for an engine that has nothing to close.
func (s Handler) load(ctx context.Context) (backend.Load, error) {
	if engine, is := s.Engine.(backend.LoadGauge); is {
		return engine.Load(ctx)
	}
	return backend.Load{}, nil
}

// trailerError names the trailer that says how a stream ended.
const trailerError = "Atelier-Error"

// stream answers with what write produces. An error after the beginning is in the trailer.
func stream(w http.ResponseWriter, write func(to io.Writer) error) {
	w.Header().Set("Trailer", trailerError)
	out := &counter{ResponseWriter: w}
	err := write(out)
	if err != nil && out.sent == 0 {
		SendError(w, err)
		return
	}
	if err != nil {
		text, _ := json.Marshal(failureOf(err))
		w.Header().Set(trailerError, string(text))
	}
}

// counter counts the bytes sent.
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
