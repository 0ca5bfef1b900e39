package backend

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Holder is implemented by an engine over data that several processes can reach. One of them at a
// time holds a project's data; the others' engines answer its calls with core.CodeUnavailable.
type Holder interface {
	// Hold makes this engine the one that holds a project's data. token is a fencing token: what
	// engines with lower tokens still do to the data is lost, and they notice that before they
	// acknowledge it. A token that is below the last one has code core.CodeConflict.
	Hold(ctx context.Context, project core.ID, token int64) error
	// Leave closes a project's data and lets it go. It is idempotent.
	Leave(ctx context.Context, project core.ID) error
}

// Leaver is implemented by an engine that shares data with those of other processes.
type Leaver interface {
	// HandOver lets go of all data, so that other processes have it at once, and takes no more.
	// Calls have core.CodeUnavailable from then on.
	HandOver()
}
