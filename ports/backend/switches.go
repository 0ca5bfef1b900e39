package backend

import (
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
)

// SwitchPatience bounds how long requests and reads wait for Settle. Requests wait because browsers
// never open an EventSource again that was answered with an error: pages that are open would
// not hear of changes after a publish.
const SwitchPatience = 10 * time.Second

// Switches changes the schema of a place together with something outside of the engine, such as
// the deployment that a site shows: both or neither. An engine implements it, too.
//
// From Stage to Settle the place is closed: requests and calls that read wait, at most
// SwitchPatience, and have then status 503 or core.CodeUnavailable. Calls that change the place
// have core.CodeConflict at once. A crash in between leaves it closed until somebody who knows which side
// won calls Settle, so no change of data can get lost.
type Switches interface {
	// Stage makes a snapshot of the place, if it exists, applies the schema as Apply does, and
	// closes the place. A problem of the schema changes nothing. A place that is closed already
	// has core.CodeConflict.
	Stage(ctx context.Context, place Place, schema Schema, change Switch) error
	// Staged returns the switch for which a place is closed, and the zero value if it is open.
	Staged(ctx context.Context, place Place) (Switch, error)
	// Settle opens a closed place: as it is if the switch is kept, else as it was before Stage.
	// It does nothing for an open place.
	Settle(ctx context.Context, place Place, keep bool) error
}

// Switch identifies a change that is under way.
type Switch struct {
	// Note is the caller's: what else changes.
	Note core.ID
	// Snapshot is the id of the snapshot of the place as it was before.
	Snapshot core.ID
}
