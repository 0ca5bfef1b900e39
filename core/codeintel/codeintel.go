package codeintel

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/ports/broadcast"
	"github.com/atelierhq/atelier/ports/languageserver"
	"github.com/atelierhq/atelier/ports/packages"
)

// Launcher starts the servers of a Service.
type Launcher interface{ languageserver.Launcher }

// Deps has the dependencies of a Service.
type Deps struct {
	Gate     *access.Gate
	Sources  builds.Sources
	Resolver packages.Resolver
	Launcher Launcher
	Bus      broadcast.Bus
	Log      *slog.Logger
	Settings Settings
}

// Settings bound the service.
type Settings struct {
	// MaxServers is how many servers this process runs at the same time. With 0 it answers no
	// questions.
	MaxServers int
}

// Service is the use case. It may be used by many goroutines.
type Service struct {
	deps    Deps
	servers *servers
}

// New returns a service.
func New(deps Deps) *Service { return &Service{deps: deps, servers: newServers(deps)} }

// Close ends all servers and waits for them.
func (s *Service) Close() { s.servers.close() }

// Status says whether questions are answered here.
type Status struct {
	Available bool `json:"available"`
	// Reason says what to install or to set, if not.
	Reason string `json:"reason,omitempty"`
}

// Question is about a place in a file. Line and Column count from 1, columns UTF-16 units.
type Question struct {
	Path         core.ProjectPath
	Line, Column int
	// Text is the content in the editor, nil for that on the disk.
	Text *string
}

// Completions are the suggestions for a place.
type Completions struct {
	// Column is where the text begins that a completion replaces, in the line of the question.
	Column int `json:"column"`
	// Items has at most maxItems entries, the likeliest first; it is never nil.
	Items []languageserver.Completion `json:"items"`
	// Truncated says that there are more: with the next letter it is worth asking again.
	Truncated bool `json:"truncated,omitempty"`
}

// Status reports whether questions about a project are answered. Errors are those of
// access.Gate.Project.
func (s *Service) Status(ctx context.Context, by core.Actor, project core.ID) (Status, error) {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionCodeIntelligence, project); err != nil {
		return Status{}, err
	}
	err := s.available(ctx)
	var known *core.Error
	if errors.As(err, &known) {
		return Status{Reason: known.Message}, nil
	}
	if err != nil {
		return Status{}, err
	}
	return Status{Available: true}, nil
}

// Complete returns what may be written at a place.
//
// The errors of all questions are ctx's or those of access.Gate.Project, or have code
// core.CodeUnsupportedFile for a file in another language, core.CodePayloadTooLarge for a text
// beyond languageserver.MaxTextBytes, core.CodeNotFound for a file that is not there,
// core.CodeSandboxUnavailable without a sandbox, core.CodeUnavailable if packages cannot be fetched
// or the server ended, or core.CodeRateLimited if too many ask at the same time.
func (s *Service) Complete(ctx context.Context, by core.Actor, project core.ID, q Question) (Completions, error) {
	var made Completions
	err := s.ask(ctx, by, project, q, func(server languageserver.Server, at languageserver.Place) error {
		found, err := server.Complete(ctx, at)
		made = narrow(found, at)
		return err
	})
	return made, err
}

// Describe returns more about one of the completions at a place; the zero Description if there is
// no such completion.
func (s *Service) Describe(ctx context.Context, by core.Actor, project core.ID, q Question, label, source string) (languageserver.Description, error) {
	var made languageserver.Description
	err := s.ask(ctx, by, project, q, func(server languageserver.Server, at languageserver.Place) (err error) {
		made, err = server.Describe(ctx, at, label, source)
		return err
	})
	return made, err
}

// Hover returns what the name at a place is; the zero Hover if there is none.
func (s *Service) Hover(ctx context.Context, by core.Actor, project core.ID, q Question) (languageserver.Hover, error) {
	var made languageserver.Hover
	err := s.ask(ctx, by, project, q, func(server languageserver.Server, at languageserver.Place) (err error) {
		made, err = server.Hover(ctx, at)
		return err
	})
	return made, err
}

// Define returns where the name at a place is defined.
func (s *Service) Define(ctx context.Context, by core.Actor, project core.ID, q Question) ([]languageserver.Location, error) {
	var made []languageserver.Location
	err := s.ask(ctx, by, project, q, func(server languageserver.Server, at languageserver.Place) (err error) {
		made, err = server.Define(ctx, at)
		return err
	})
	return made, err
}

// Diagnose returns the errors and warnings in a file. The place of the question does not matter.
func (s *Service) Diagnose(ctx context.Context, by core.Actor, project core.ID, q Question) ([]languageserver.Finding, error) {
	var made []languageserver.Finding
	err := s.ask(ctx, by, project, q, func(server languageserver.Server, at languageserver.Place) (err error) {
		made, err = server.Diagnose(ctx, at.Document)
		made = withoutParameters(at.Path, made)
		return err
	})
	return made, err
}

// Format returns the changes that format a file, indented as the project's .editorconfig or
// Prettier's configuration say, or else as the file is. The place of the question does not matter.
func (s *Service) Format(ctx context.Context, by core.Actor, project core.ID, q Question) ([]languageserver.Edit, error) {
	var made []languageserver.Edit
	err := s.ask(ctx, by, project, q, func(server languageserver.Server, at languageserver.Place) error {
		files, err := s.deps.Sources.View(ctx, project)
		if err != nil {
			return err
		}
		made, err = server.Format(ctx, at.Document, styleOf(files, at.Document))
		return err
	})
	return made, err
}

// ask lets act ask the project's server. A server that was replaced meanwhile is no failure.
func (s *Service) ask(ctx context.Context, by core.Actor, project core.ID, q Question, act func(languageserver.Server, languageserver.Place) error) error {
	found, err := s.deps.Gate.Project(ctx, by, core.ActionCodeIntelligence, project)
	if err != nil {
		return err
	}
	if err := s.available(ctx); err != nil {
		return err
	}
	ctx = fair.WithTenant(ctx, found.WorkspaceID)
	at, err := s.place(ctx, project, q)
	if err != nil {
		return err
	}
	for attempt := 0; ; attempt++ {
		server, err := s.servers.acquire(ctx, project, found.WorkspaceID)
		if err != nil {
			return err
		}
		err = act(server.Server, at)
		replaced := s.servers.release(server)
		if !replaced || attempt > 0 || !core.IsCode(err, core.CodeUnavailable) {
			return err
		}
	}
}

func (s *Service) available(ctx context.Context) error {
	if s.deps.Settings.MaxServers == 0 {
		return core.Errorf(core.CodeSandboxUnavailable, "language servers are turned off on this installation (MAX_LANGUAGE_SERVERS=0)")
	}
	return s.deps.Launcher.Available(ctx)
}

// place returns the place that a question is about.
func (s *Service) place(ctx context.Context, project core.ID, q Question) (languageserver.Place, error) {
	if !languageserver.Speaks(q.Path) {
		return languageserver.Place{}, core.Errorf(core.CodeUnsupportedFile, "this is for TypeScript and JavaScript files (.ts, .tsx, .js, .jsx and the like)")
	}
	at := languageserver.Place{Document: languageserver.Document{Path: q.Path}, Line: q.Line, Column: q.Column}
	if q.Text != nil {
		at.Text = *q.Text
	} else {
		text, err := s.read(ctx, project, q.Path)
		if err != nil {
			return languageserver.Place{}, err
		}
		at.Text = text
	}
	if len(at.Text) > languageserver.MaxTextBytes {
		return languageserver.Place{}, core.Errorf(core.CodePayloadTooLarge, "the file is longer than %d bytes, which is too long for this", languageserver.MaxTextBytes)
	}
	if !utf8.ValidString(at.Text) {
		return languageserver.Place{}, core.Errorf(core.CodeUnsupportedFile, "the file is not text in UTF-8")
	}
	return at, nil
}

// read reads a file from the disk, up to a byte more than is allowed.
func (s *Service) read(ctx context.Context, project core.ID, path core.ProjectPath) (string, error) {
	files, err := s.deps.Sources.View(ctx, project)
	if err != nil {
		return "", err
	}
	file, err := files.Open(path.String())
	if errors.Is(err, fs.ErrNotExist) {
		return "", core.NotFound("file")
	}
	if err != nil {
		return "", core.Wrap(core.CodeUnavailable, err, "the project's files cannot be read")
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, languageserver.MaxTextBytes+1))
	if err != nil {
		return "", core.Wrap(core.CodeUnavailable, err, "the project's files cannot be read")
	}
	return string(text), nil
}
