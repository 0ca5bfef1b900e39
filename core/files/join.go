package files

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

// Lines are two lines of versions of one project, which a join makes one again.
type Lines struct {
	History
	Project core.ID
	// Base is the newest version that both have, "" if there is none.
	Base, Ours, Theirs string
}

// Lines compares the project's newest version with another stored one. Ours is "" before the first
// version.
func (h History) Lines(ctx context.Context, project core.ID, theirs string) (Lines, error) {
	lines := Lines{History: h, Project: project, Theirs: theirs}
	newest, err := h.Versions(ctx, project, "", 1)
	if err != nil || len(newest) == 0 {
		return lines, err
	}
	lines.Ours = newest[0].ID
	lines.Base, err = h.repositories.Base(ctx, project, lines.Ours, theirs)
	return lines, err
}

// JoinRequest says what Join brings into a project.
type JoinRequest struct {
	// Theirs is the newest of the versions from elsewhere. Adopt stores them under the project's
	// lock; nil says that they are stored.
	Theirs string
	Adopt  func(ctx context.Context) error
	// Ready is called under the project's lock and may refuse; its error is returned unchanged.
	Ready func(ctx context.Context) error
	// Merge is called if both sides have versions of their own. It returns the differences from the
	// files of Lines.Ours; its error is returned unchanged, with the files as they were.
	Merge  func(ctx context.Context, lines Lines) ([]vcs.JoinedFile, error)
	Commit vcs.Commit
}

// Join brings versions from elsewhere into a project: as they are if the project has nothing else,
// else by a version with two parents. It first commits what people have staged as a version of
// theirs, so that nothing is lost. It returns the project's newest version.
//
// When Join returns nil, repository, disk, cache and followers are in step with that version. It
// returns core.CodeConflict, with the files unchanged, if something that is in no version blocks a
// file. After core.CodeUnavailable the files are either unchanged, or the project's next touch
// brings them to the new version, as after a crash.
func (a Arrivals) Join(ctx context.Context, project core.ID, asked JoinRequest) (string, error) {
	locked, err := a.projects.lockSaved(ctx, project)
	if err != nil {
		return "", err
	}
	defer locked.release()
	locked.limit(context.WithoutCancel(locked.held), arrivalTimeout)
	if err := asked.Ready(locked.ctx); err != nil {
		return "", err
	}
	written, err := locked.onlyWritten()
	if err == nil && !written {
		err = locked.commitByHand(nil, nil)
	}
	if err == nil && asked.Adopt != nil {
		err = asked.Adopt(locked.ctx)
	}
	if err != nil {
		return "", err
	}
	lines, err := History{locked.deps.Repositories}.Lines(locked.ctx, project, asked.Theirs)
	if err != nil || lines.Base == asked.Theirs {
		return lines.Ours, err
	}
	move := vcs.Arrival{From: lines.Ours, To: asked.Theirs}
	if lines.Base != lines.Ours {
		if move.To, err = join(locked, lines, asked); err != nil {
			return "", err
		}
	}
	arrival, err := newArrival(locked, asked.Commit.Author, move)
	if err != nil {
		return "", err
	}
	arrival.rewrites = written
	if err := arrival.checkVacant(); err != nil {
		return "", err
	}
	return move.To, arrival.start()
}

// join stores the version with two parents.
func join(l *lockedProject, lines Lines, asked JoinRequest) (string, error) {
	merged, err := asked.Merge(l.ctx, lines)
	if err != nil {
		return "", err
	}
	made, err := l.deps.Repositories.Join(l.ctx, l.id, vcs.Join{Ours: lines.Ours, Theirs: lines.Theirs, Commit: l.dated(asked.Commit), Files: merged})
	return made.ID, err
}
