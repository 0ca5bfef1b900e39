package preview

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Page is what a preview's host has to show.
type Page struct {
	// Build is the last good one, nil while there is none.
	Build *Build
	// Server answers in its place where the project's own tools make its pages, and
	// Progress says what is done before it does.
	Server   *Server
	Progress string
	// Diagnostics says what keeps the sources from building; empty when Build is
	// what they are.
	Diagnostics []core.Diagnostic
}

// Page starts the project's preview if need be, waits up to 10 seconds for the
// build of the files as they are now, and returns what there is to show. So a page
// that is loaded after a write was acknowledged never shows what was before it.
// The caller has checked who may (Resolve).
func (s *Service) Page(ctx context.Context, project core.ID) (Page, error) {
	at, err := s.settled(ctx, project, pagePatience, outcome.shows)
	if err != nil {
		return Page{}, err
	}
	return Page{Build: at.good, Server: at.server, Progress: at.note, Diagnostics: at.shown()}, nil
}

// Server returns the development server that answers for the project, without
// waiting for one. It is nil when there is none.
func (s *Service) Server(project core.ID) *Server {
	s.mu.Lock()
	running := s.sessions[project]
	s.mu.Unlock()
	if running == nil {
		return nil
	}
	running.touch()
	return running.now().server
}

// Kept returns the build that is served, without waiting for another: it is for
// files whose names change with their content. It is nil when there is none.
func (s *Service) Kept(project core.ID) *Build {
	s.mu.Lock()
	running := s.sessions[project]
	s.mu.Unlock()
	if running == nil {
		return nil
	}
	running.touch()
	return running.now().good
}
