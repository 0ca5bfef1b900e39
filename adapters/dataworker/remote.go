package dataworker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Serve implements backend.Engine.
func (e *Engine) Serve(w http.ResponseWriter, r *http.Request, place backend.Place, as backend.Identity) {
	if headBytes(r) > maxHeadBytes {
		refuse(w, http.StatusRequestHeaderFieldsTooLarge, "The address and the headers of the request are too long.")
		return
	}
	worker, done, err := e.use()
	if err != nil {
		e.unavailable(w, r, err)
		return
	}
	defer done()
	// Both encode to one line of JSON.
	at, _ := json.Marshal(place)
	who, _ := json.Marshal(as)
	proxy := httputil.ReverseProxy{
		Transport:     surviving{e, worker},
		FlushInterval: -1,
		Rewrite: func(p *httputil.ProxyRequest) {
			p.Out.URL = &url.URL{Scheme: "http", Host: "worker", Path: p.In.URL.Path, RawPath: p.In.URL.RawPath, RawQuery: p.In.URL.RawQuery}
			p.Out.Host = p.In.Host
			p.Out.Header.Set(headerPlace, string(at))
			p.Out.Header.Set(headerAs, string(who))
			p.Out.Header.Set(headerClient, p.In.RemoteAddr)
			p.Out.Header.Del("Cookie")
		},
		ErrorHandler: e.unavailable,
	}
	proxy.ServeHTTP(w, r)
}

// surviving is an http.RoundTripper that outlives its worker: when that dies, a request that only
// reads is sent to the next one. Others may have been carried out already, so their clients
// decide; they get their 503 once the end of the worker is known, and find a new one.
type surviving struct {
	engine *Engine
	worker *process
}

// endKnown bounds the wait for the end of a worker whose connection broke.
const endKnown = time.Second

// RoundTrip implements http.RoundTripper.
func (s surviving) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := s.worker.transport.RoundTrip(r)
	if err == nil || r.Context().Err() != nil {
		return answer, err
	}
	select {
	case <-s.worker.gone:
	case <-time.After(endKnown):
	case <-r.Context().Done():
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return nil, err
	}
	next, done, failed := s.engine.use()
	if failed != nil {
		return nil, errors.Join(err, failed)
	}
	defer done()
	return next.transport.RoundTrip(r)
}

// unavailable answers that there is no worker.
func (e *Engine) unavailable(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() == nil {
		e.config.Log.WarnContext(r.Context(), "a request to a backend failed", "error", err)
	}
	w.Header().Set("Retry-After", "1")
	refuse(w, http.StatusServiceUnavailable, "The data is not available at the moment. Try again.")
}

// refuse answers in PocketBase's form.
func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"status": status, "message": message, "data": map[string]any{}})
}

// maxHeadBytes bounds what the worker reads before a body; its server has a bound of 1 MiB.
const maxHeadBytes = 256 << 10

// headBytes returns about how long the address and the headers of a request are.
func headBytes(r *http.Request) int {
	size := len(r.URL.Path) + len(r.URL.RawPath) + len(r.URL.RawQuery)
	for name, values := range r.Header {
		for _, value := range values {
			size += len(name) + len(value) + 32 // what HTTP/2 adds for each
		}
	}
	return size
}

// Schema implements backend.Engine.
func (e *Engine) Schema(ctx context.Context, place backend.Place) (backend.Schema, error) {
	out, err := e.call(ctx, "schema", call{Place: place})
	return out.Schema, err
}

// Check implements backend.Engine.
func (e *Engine) Check(ctx context.Context, place backend.Place, schema backend.Schema) error {
	_, err := e.call(ctx, "check", call{Place: place, Schema: schema})
	return err
}

// Apply implements backend.Engine.
func (e *Engine) Apply(ctx context.Context, place backend.Place, schema backend.Schema) error {
	_, err := e.call(ctx, "apply", call{Place: place, Schema: schema})
	return err
}

// Weigh implements backend.Engine.
func (e *Engine) Weigh(ctx context.Context, place backend.Place, changes []backend.Change) ([]int64, error) {
	out, err := e.call(ctx, "weigh", call{Place: place, Changes: changes})
	if err == nil && len(out.Counts) != len(changes) {
		err = core.Errorf(core.CodeUnavailable, "the backend's answer has %d counts for %d changes", len(out.Counts), len(changes))
	}
	return out.Counts, err
}

// Query implements backend.Queries.
func (e *Engine) Query(ctx context.Context, place backend.Place, sql string) (backend.Table, error) {
	out, err := e.call(ctx, "query", call{Place: place, SQL: sql})
	return out.Table, err
}

// Stats implements backend.Engine.
func (e *Engine) Stats(ctx context.Context, place backend.Place) (backend.Stats, error) {
	out, err := e.call(ctx, "stats", call{Place: place})
	found := out.Stats.Stats
	found.Collections = out.Stats.ByCollection
	return found, err
}

// Remove implements backend.Engine.
func (e *Engine) Remove(ctx context.Context, place backend.Place) error {
	_, err := e.call(ctx, "remove", call{Place: place})
	return err
}

// Snapshot implements backend.Snapshots.
func (e *Engine) Snapshot(ctx context.Context, place backend.Place, id core.ID) (int64, error) {
	out, err := e.call(ctx, "snapshot", call{Place: place, ID: id})
	return out.Bytes, err
}

// Restore implements backend.Snapshots.
func (e *Engine) Restore(ctx context.Context, place backend.Place, id core.ID) error {
	_, err := e.call(ctx, "restore", call{Place: place, ID: id})
	return err
}

// Forget implements backend.Snapshots.
func (e *Engine) Forget(ctx context.Context, place backend.Place, id core.ID) error {
	_, err := e.call(ctx, "forget", call{Place: place, ID: id})
	return err
}

// Copy implements backend.Snapshots.
func (e *Engine) Copy(ctx context.Context, from, to backend.Place) error {
	_, err := e.call(ctx, "copy", call{Place: from, To: to})
	return err
}

// Stage implements backend.Switches.
func (e *Engine) Stage(ctx context.Context, place backend.Place, schema backend.Schema, change backend.Switch) error {
	_, err := e.call(ctx, "stage", call{Place: place, Schema: schema, Switch: change})
	return err
}

// Staged implements backend.Switches.
func (e *Engine) Staged(ctx context.Context, place backend.Place) (backend.Switch, error) {
	out, err := e.call(ctx, "staged", call{Place: place})
	return out.Switch, err
}

// Settle implements backend.Switches.
func (e *Engine) Settle(ctx context.Context, place backend.Place, keep bool) error {
	_, err := e.call(ctx, "settle", call{Place: place, Keep: keep})
	return err
}

// Export implements backend.Snapshots.
func (e *Engine) Export(ctx context.Context, place backend.Place, to io.Writer) error {
	return e.stream(ctx, "export", call{Place: place}, to)
}

// Insert implements backend.Transfers.
func (e *Engine) Insert(ctx context.Context, place backend.Place, collection string, records []json.RawMessage) error {
	_, err := e.call(ctx, "insert", call{Place: place, Collection: collection, Records: records})
	return err
}

// Dump implements backend.Transfers.
func (e *Engine) Dump(ctx context.Context, place backend.Place, collection string, to io.Writer) error {
	return e.stream(ctx, "dump", call{Place: place, Collection: collection}, to)
}

// stream makes a call whose answer is a stream.
func (e *Engine) stream(ctx context.Context, name string, in call, to io.Writer) error {
	answer, done, err := e.send(ctx, name, in)
	if err != nil {
		return err
	}
	defer done()
	if err := errorOf(answer); err != nil {
		return err
	}
	if _, err := io.Copy(to, answer.Body); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the export broke off")
	}
	text := answer.Trailer.Get(trailerError)
	if text == "" {
		return nil
	}
	var f failure
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the export broke off")
	}
	return f.error()
}

// maxReplyBytes bounds the answer to a call.
const maxReplyBytes = 64 << 20

// call makes a call and reads its reply.
func (e *Engine) call(ctx context.Context, name string, in call) (reply, error) {
	answer, done, err := e.send(ctx, name, in)
	if err != nil {
		return reply{}, err
	}
	defer done()
	if err := errorOf(answer); err != nil {
		return reply{}, err
	}
	var out reply
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxReplyBytes)).Decode(&out); err != nil {
		return reply{}, core.Wrap(core.CodeUnavailable, err, "the backend's answer broke off")
	}
	return out, nil
}

// send sends a call. The caller calls the function that it returns when it has read the answer.
func (e *Engine) send(ctx context.Context, name string, in call) (*http.Response, func(), error) {
	worker, done, err := e.use()
	if err != nil {
		return nil, nil, err
	}
	text, err := json.Marshal(in)
	if err != nil {
		done()
		return nil, nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://worker"+callPath+name, bytes.NewReader(text))
	if err != nil {
		done()
		return nil, nil, err
	}
	answer, err := worker.transport.RoundTrip(r)
	if err != nil {
		done()
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		return nil, nil, core.Wrap(core.CodeUnavailable, err, "the backend is not available at the moment")
	}
	return answer, func() { _ = answer.Body.Close(); done() }, nil
}
