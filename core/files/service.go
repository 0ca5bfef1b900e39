package files

import (
	"context"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/ports/search"
)

// Service is the files of projects as people may use them. Every method first
// asks the gate, and those that write ask it again under the project's lock; its errors
// are those of access.Gate.Project and those that the method names.
type Service struct{ deps ServiceDeps }

// ServiceDeps has the dependencies of a Service.
type ServiceDeps struct {
	Gate   *access.Gate
	Reader Reader
	Writer Writer
	// MaxFileBytes is the size of the largest file accepted.
	MaxFileBytes MaxFileBytes
}

// MaxFileBytes is the largest file that people may write, in bytes (the setting
// MAX_FILE_BYTES).
type MaxFileBytes int64

// NewService returns the service.
func NewService(deps ServiceDeps) *Service { return &Service{deps} }

// MaxFileBytes returns the size of the largest file accepted.
func (s *Service) MaxFileBytes() int64 { return int64(s.deps.MaxFileBytes) }

// MayWrite returns nil if the caller may write the project's files. The writing methods
// check that themselves; this is for a caller that has a large request to receive
// first.
func (s *Service) MayWrite(ctx context.Context, by core.Actor, project core.ID) error {
	return s.check(ctx, by, core.ActionFileWrite, project)
}

// List returns the project's files from the cache.
func (s *Service) List(ctx context.Context, by core.Actor, project core.ID) (*Listing, error) {
	state, err := s.deps.Gate.Files(ctx, by, core.ActionFileRead, project)
	if err != nil {
		return nil, err
	}
	return s.deps.Reader.listSince(ctx, project, state)
}

// Read opens a file. A directory has code CodeNotFound. The caller closes it.
func (s *Service) Read(ctx context.Context, by core.Actor, at core.FileAt) (*File, error) {
	if err := s.check(ctx, by, core.ActionFileRead, at.Project); err != nil {
		return nil, err
	}
	return s.deps.Reader.Open(ctx, at)
}

// Content returns the content of a file to write. It is called after the check of the
// caller's rights, so that nothing is received from somebody who may not send it.
type Content func() ([]byte, error)

// Write replaces or creates a file. It returns CodeConflict if a directory has the
// path, CodePreconditionFailed if the guard does not hold, and CodePayloadTooLarge if
// the content is too large. Other errors of content are returned unchanged.
func (s *Service) Write(ctx context.Context, by core.Actor, at core.FileAt, content Content, guard Guard) (Result, error) {
	author, err := s.author(ctx, by, at.Project)
	if err != nil {
		return Result{}, err
	}
	bytes, err := content()
	if err != nil {
		return Result{}, err
	}
	if err := s.checkSize(at.Path, len(bytes)); err != nil {
		return Result{}, err
	}
	change := core.FileChange{Op: core.OpWrite, Path: at.Path, Content: bytes}
	return applyOne(ctx, s.writerAs(by), at.Project, author, change, guard)
}

// Delete removes a file, or a directory with everything below it. It returns
// CodeNotFound if path does not exist.
func (s *Service) Delete(ctx context.Context, by core.Actor, at core.FileAt, guard Guard) error {
	author, err := s.author(ctx, by, at.Project)
	if err != nil {
		return err
	}
	change := core.FileChange{Op: core.OpDelete, Path: at.Path}
	_, err = applyOne(ctx, s.writerAs(by), at.Project, author, change, guard)
	return err
}

// Search looks for a regular expression in RE2 syntax. A limit above search.MaxLimit is
// reduced to it; one below 1 has code CodeValidationFailed. An invalid pattern has code
// CodeInvalidRegex.
func (s *Service) Search(ctx context.Context, by core.Actor, project core.ID, query search.Query) (search.Found, error) {
	found, err := s.deps.Gate.Project(ctx, by, core.ActionFileRead, project)
	if err != nil {
		return search.Found{}, err
	}
	if query.Pattern == "" {
		return search.Found{}, core.Errorf(core.CodeValidationFailed, "q is empty")
	}
	if query.Limit < 1 {
		return search.Found{}, core.Errorf(core.CodeValidationFailed, "maxResults must be at least 1")
	}
	query.Limit = min(query.Limit, search.MaxLimit)
	return s.deps.Reader.Search(fair.WithTenant(ctx, found.WorkspaceID), project, query)
}

func (s *Service) check(ctx context.Context, by core.Actor, action core.Action, project core.ID) error {
	_, err := s.deps.Gate.Project(ctx, by, action, project)
	return err
}

// writerAs is the writer on behalf of the caller.
func (s *Service) writerAs(by core.Actor) Writer {
	return s.deps.Writer.As(s.deps.Gate, by, core.ActionFileWrite)
}

func (s *Service) checkSize(path core.ProjectPath, size int) error {
	if int64(size) > s.MaxFileBytes() {
		return core.Errorf(core.CodePayloadTooLarge, "%s is larger than %d bytes", path, s.MaxFileBytes())
	}
	return nil
}

func applyOne(ctx context.Context, writer Writer, project core.ID, author core.Author, change core.FileChange, guard Guard) (Result, error) {
	results, err := writer.Apply(ctx, project, author, []core.FileChange{change}, guard)
	if err != nil {
		return Result{}, err
	}
	return results[0], results[0].Err
}

// author is check for writers, and returns their name in the history.
func (s *Service) author(ctx context.Context, by core.Actor, project core.ID) (core.Author, error) {
	user, _, err := s.deps.Gate.Person(ctx, by, core.ActionFileWrite, project)
	return AuthorOf(user), err
}

// AuthorOf returns a person's name in a project's history: the display name, else the
// part of the address before the @. Strangers who may read the project must not learn
// the whole address.
func AuthorOf(user core.User) core.Author {
	name, _, _ := strings.Cut(user.Email, "@")
	if user.DisplayName != nil && *user.DisplayName != "" {
		name = *user.DisplayName
	}
	return core.Author{Kind: core.AuthorUser, Name: name}
}
