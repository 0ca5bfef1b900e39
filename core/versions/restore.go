package versions

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

// Restore makes a new version of the files of an earlier one, in the caller's name.
// What people have edited since the last version becomes a version of its own first, so
// that nothing is ever lost. The second result is false when the files are those
// already: then the version is the latest, and no new one is made.
//
// It returns core.CodeNotFound for a version that is not there, core.CodeChatBusy while
// the agent is at work in the project, and core.CodeConflict when something that is in
// no version is in the way of a file.
func (s *Service) Restore(ctx context.Context, by core.Actor, project core.ID, version string) (core.Version, bool, error) {
	author, err := s.author(ctx, by, project)
	if err != nil {
		return core.Version{}, false, err
	}
	earlier, err := s.files.Version(ctx, project, version)
	if err != nil {
		return core.Version{}, false, err
	}
	idle := func(ctx context.Context) error { return s.checkIdle(ctx, project) }
	return s.filesAs(by).Restore(ctx, project, earlier.ID, idle, vcs.Commit{Message: restoreMessage(earlier.Message), Author: author})
}

// restoreMessage is the message of the version that restores another.
func restoreMessage(message string) string { return headed("Restore: ", message) }
