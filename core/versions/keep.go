package versions

import (
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/core/files"
)

const (
	// rest is the debounce time after which people's edits become a version
	// automatically; poll is how often the service looks for due projects.
	rest = time.Minute
	poll = 15 * time.Second
	// atOnce is how many projects one poll handles.
	atOnce = 500
)

// Keep makes a version of people's unversioned edits, as Start does after a while.
// Changes of an active run are left to the run's own version. The second result is
// false if there is nothing to keep.
func (s *Service) Keep(ctx context.Context, by core.Actor, project core.ID) (core.Version, bool, error) {
	if _, err := s.gate.Project(ctx, by, core.ActionVersionWrite, project); err != nil {
		return core.Version{}, false, err
	}
	return s.keep(ctx, s.committerAs(by), project, core.At(s.now()))
}

// Unversioned returns how many files of a project differ from its newest version.
func (s *Service) Unversioned(ctx context.Context, by core.Actor, project core.ID) (int, error) {
	if _, err := s.gate.Project(ctx, by, core.ActionVersionRead, project); err != nil {
		return 0, err
	}
	differences, err := s.committer.Unversioned(ctx, project)
	return len(differences), err
}

func (s *Service) keep(ctx context.Context, committer files.Committer, project core.ID, until core.Time) (core.Version, bool, error) {
	version, made, err := committer.KeepEdits(ctx, project, until, s.changedByRuns(project))
	if made {
		s.announce(ctx, project)
	}
	return version, made, err
}

// announce tells the project's followers to read the project again, because it has a
// new version.
func (s *Service) announce(ctx context.Context, project core.ID) {
	if err := s.bus.Publish(ctx, core.Notice{Kind: core.NoticeProject, ProjectID: project}); err != nil {
		s.log.WarnContext(ctx, "could not notify followers of a new version", "project", project, "error", err)
	}
}

// Start starts the worker that makes versions of people's edits after a rest. The
// database knows what is due: several processes may do so, and a crash loses nothing.
func (s *Service) Start() {
	s.tasks.Go(func() {
		ticker := time.NewTicker(poll)
		defer ticker.Stop()
		for {
			select {
			case <-s.stopped.Done():
				return
			case <-ticker.C:
				s.keepDue()
			}
		}
	})
}

// Close stops the worker and waits for its current version, or until ctx ends.
func (s *Service) Close(ctx context.Context) error {
	s.stop()
	return ctxsync.Wait(ctx, &s.tasks)
}

func (s *Service) keepDue() {
	until := core.At(s.now().Add(-rest))
	due, err := s.store.Tables().Edits.Due(s.stopped, until, atOnce)
	if err != nil && s.stopped.Err() == nil {
		s.log.Warn("could not read the edits that are due for a version", "error", err)
	}
	for _, edit := range due {
		if s.stopped.Err() != nil {
			return
		}
		// Another process may keep it first, and the project may be deleted
		// meanwhile.
		if _, _, err := s.keep(s.stopped, s.committer, edit.Project, until); err != nil && !core.IsCode(err, core.CodeNotFound) && s.stopped.Err() == nil {
			s.log.Warn("could not make a version of edits by hand", "project", edit.Project, "error", err)
		}
	}
}
