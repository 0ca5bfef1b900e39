// Package nobackend is the engine of a service that holds no data of applications.
package nobackend

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Engine holds nothing. It accepts no schema, and Reason says why in the diagnostics of the
// build, so that nothing is stored where it would be lost.
type Engine struct{ Reason string }

var (
	_ backend.Engine    = Engine{}
	_ backend.Queries   = Engine{}
	_ backend.Snapshots = Engine{}
	_ backend.Switches  = Engine{}
	_ backend.Transfers = Engine{}
)

func (e Engine) refuse() error { return &backend.Problem{Message: e.Reason} }

func (Engine) missing() error { return core.NotFound("backend") }

// Serve implements backend.Engine.
func (Engine) Serve(w http.ResponseWriter, _ *http.Request, _ backend.Place, _ backend.Identity) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusNotFound)
	_, _ = io.WriteString(w, `{"status":404,"message":"This application has no data.","data":{}}`)
}

// Check implements backend.Engine.
func (e Engine) Check(context.Context, backend.Place, backend.Schema) error { return e.refuse() }

// Apply implements backend.Engine.
func (e Engine) Apply(context.Context, backend.Place, backend.Schema) error { return e.refuse() }

// Stage implements backend.Switches.
func (e Engine) Stage(context.Context, backend.Place, backend.Schema, backend.Switch) error {
	return e.refuse()
}

// Staged implements backend.Switches.
func (Engine) Staged(context.Context, backend.Place) (backend.Switch, error) {
	return backend.Switch{}, nil
}

// Settle implements backend.Switches.
func (Engine) Settle(context.Context, backend.Place, bool) error { return nil }

// Schema implements backend.Engine.
func (e Engine) Schema(context.Context, backend.Place) (backend.Schema, error) {
	return backend.Schema{}, e.missing()
}

// Weigh implements backend.Engine.
func (e Engine) Weigh(context.Context, backend.Place, []backend.Change) ([]int64, error) {
	return nil, e.missing()
}

// Stats implements backend.Engine.
func (e Engine) Stats(context.Context, backend.Place) (backend.Stats, error) {
	return backend.Stats{}, e.missing()
}

// Remove implements backend.Engine.
func (Engine) Remove(context.Context, backend.Place) error { return nil }

// Query implements backend.Queries.
func (e Engine) Query(context.Context, backend.Place, string) (backend.Table, error) {
	return backend.Table{}, e.missing()
}

// Snapshot implements backend.Snapshots.
func (e Engine) Snapshot(context.Context, backend.Place, core.ID) (int64, error) {
	return 0, e.missing()
}

// Restore implements backend.Snapshots.
func (e Engine) Restore(context.Context, backend.Place, core.ID) error { return e.missing() }

// Forget implements backend.Snapshots.
func (Engine) Forget(context.Context, backend.Place, core.ID) error { return nil }

// Copy implements backend.Snapshots.
func (e Engine) Copy(context.Context, backend.Place, backend.Place) error { return e.missing() }

// Export implements backend.Snapshots.
func (e Engine) Export(context.Context, backend.Place, io.Writer) error { return e.missing() }

// Insert implements backend.Transfers.
func (e Engine) Insert(context.Context, backend.Place, string, []json.RawMessage) error {
	return e.missing()
}

// Dump implements backend.Transfers.
func (e Engine) Dump(context.Context, backend.Place, string, io.Writer) error { return e.missing() }
