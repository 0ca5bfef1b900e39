package versions

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

// Restore makes a new version with the files of an earlier one, in the caller's name.
// It first commits people's edits since the last version as a version of their own, so
// that nothing is lost. The second result is false if the files are already the same:
// then it returns the latest version.
//
// It returns core.CodeNotFound if there is no such version, core.CodeChatBusy while a
// run is active in the project, and core.CodeConflict if something that is in no
// version blocks a file.
func (s *Service) Restore(ctx context.Context, by core.Actor, project core.ID, version string) (core.Version, bool, error) {
	author, err := s.author(ctx, by, project)
	if err != nil {
		return core.Version{}, false, err
	}
	earlier, err := s.history.Version(ctx, project, version)
	if err != nil {
		return core.Version{}, false, err
	}
	idle := func(ctx context.Context) error { return s.checkIdle(ctx, project) }
	return s.committerAs(by).Restore(ctx, project, earlier.ID, idle, vcs.Commit{Message: restoreMessage(earlier.Message), Author: author})
}

// restoreMessage is the message of the version that restores another.
func restoreMessage(message string) string { return headed("Restore: ", message) }
