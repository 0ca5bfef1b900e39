// Package broadcast is the port to the bus that tells the followers of a project
// what happened.
package broadcast

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Bus carries notices. They are never the only copy of anything.
type Bus interface {
	// Publish sends a notice to all followers of notice.ProjectID. It never waits
	// for a follower.
	Publish(ctx context.Context, notice core.Notice) error
	// Follow delivers the notices of a project, in the order in which each
	// publisher published them, from the moment it returns until ctx ends; then the
	// channel is closed. A follower that falls more than 32 notices behind misses
	// some and gets one of kind core.NoticeLagged instead. Followers may share a
	// notice: nobody may change it.
	Follow(ctx context.Context, project core.ID) (<-chan *core.Notice, error)
	// Check returns core.CodeUnavailable if the bus does not work.
	Check(ctx context.Context) error
}
