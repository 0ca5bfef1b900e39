package preview

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Page is the answer of a preview's host.
type Page struct {
	// Build is the last good one, nil if there is none.
	Build *Build
	// Server answers instead if the project's own tools make its pages. Progress
	// describes the progress until it does.
	Server   *Server
	Progress string
	// Diagnostics are the errors of the latest build; empty if Build is current.
	Diagnostics []core.Diagnostic
}

// Page starts the project's preview if necessary, waits up to 10 seconds for the
// build of the current files, and returns what there is to show. So a page that is
// loaded after an acknowledged write shows that write. The caller has checked
// access (Resolve).
func (s *Service) Page(ctx context.Context, project core.ID) (Page, error) {
	at, err := s.settled(ctx, project, s.deps.Settings.Pace.Of(pagePatience), outcome.shows)
	if err != nil {
		return Page{}, err
	}
	return Page{Build: at.good, Server: at.server, Progress: at.note, Diagnostics: at.shown()}, nil
}

// Server returns the development server that answers for the project, without
// waiting for one. It is nil if there is none.
func (s *Service) Server(project core.ID) *Server {
	running := s.sessions.find(project)
	if running == nil {
		return nil
	}
	running.lastUse.touch()
	return running.results.latest().server
}

// Kept returns the build that is served, without waiting for another: it is for
// files whose names change with their content. It is nil if there is none.
func (s *Service) Kept(project core.ID) *Build {
	running := s.sessions.find(project)
	if running == nil {
		return nil
	}
	running.lastUse.touch()
	return running.results.latest().good
}
