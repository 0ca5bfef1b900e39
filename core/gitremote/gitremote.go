package gitremote

import (
	"context"
	"io"
	"log/slog"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
)

// MaxPackBytes is the largest pack that a push may send, in bytes.
const MaxPackBytes = 512 << 20

// Deps has the dependencies of the service.
type Deps struct {
	Gate     *access.Gate
	Store    storage.Store
	Arrivals files.Arrivals
	Wire     vcs.Wire
	// MaxFileBytes is the largest file that a push may contain, in bytes.
	MaxFileBytes files.MaxFileBytes
	Log          *slog.Logger
}

// Service has the use cases of git clients. Every method first asks the gate: fetching
// requires the same as reading versions, pushing the same as writing files. Its errors
// are those of access.Gate.Project, those of vcs.Wire, and those that the method names.
type Service struct{ deps Deps }

// New returns the service.
func New(deps Deps) *Service { return &Service{deps} }

// actionOf is the action of a git service.
func actionOf(service vcs.Service) core.Action {
	if service == vcs.ServiceReceive {
		return core.ActionFileWrite
	}
	return core.ActionVersionRead
}

// Check returns nil if the caller may use a git service of a project. It is for a
// caller that has a large request to receive first.
func (s *Service) Check(ctx context.Context, by core.Actor, project core.ID, service vcs.Service) error {
	_, err := s.deps.Gate.Project(ctx, by, actionOf(service), project)
	return err
}

// Advertise writes the refs: main, at the newest version. It does not contain edits
// that are in no version yet.
func (s *Service) Advertise(ctx context.Context, by core.Actor, project core.ID, service vcs.Service, to io.Writer) error {
	if err := s.Check(ctx, by, project, service); err != nil {
		return err
	}
	return s.deps.Wire.Advertise(ctx, project, service, to)
}

// Upload answers a request for versions with all their objects.
func (s *Service) Upload(ctx context.Context, by core.Actor, project core.ID, from io.Reader, to io.Writer) error {
	if err := s.Check(ctx, by, project, vcs.ServiceUpload); err != nil {
		return err
	}
	return s.deps.Wire.Upload(ctx, project, from, to)
}

// Receive reads a push and makes its versions the project's, or tells the client why
// not. It does so in the answer, because git shows users nothing else. The project is
// only locked once the push has been received and checked.
func (s *Service) Receive(ctx context.Context, by core.Actor, project core.ID, from io.Reader, to io.Writer) error {
	if err := s.Check(ctx, by, project, vcs.ServiceReceive); err != nil {
		return err
	}
	user, err := s.deps.Store.Tables().Users.ByID(ctx, by.UserID)
	if err != nil {
		return err
	}
	headroom, err := s.deps.Arrivals.Headroom(ctx, project)
	if err != nil {
		return err
	}
	limits := vcs.Limits{PackBytes: min(MaxPackBytes, headroom.Bytes), FileBytes: int64(s.deps.MaxFileBytes), TreeBytes: max(1, headroom.TreeBytes)}
	push, err := s.deps.Wire.Receive(ctx, project, from, limits)
	if err != nil {
		return err
	}
	defer func() { _ = push.Close() }()
	outcome := s.take(ctx, by, project, files.AuthorOf(user), push)
	if code := core.CodeOf(outcome); code == core.CodeInternal || code == core.CodeUnavailable {
		s.deps.Log.ErrorContext(ctx, "could not take a push", "project", project, "error", outcome)
	}
	return push.Report(to, outcome)
}

// take checks the caller's right again under the project's lock, because receiving can
// take minutes.
func (s *Service) take(ctx context.Context, by core.Actor, project core.ID, author core.Author, push vcs.Push) error {
	arrivals := s.deps.Arrivals.As(s.deps.Gate, by, actionOf(vcs.ServiceReceive))
	return arrivals.Take(ctx, project, author, push, func(ctx context.Context) error { return s.checkIdle(ctx, project) })
}

// checkIdle returns core.CodeChatBusy while a run is active in the project: it would
// continue with files that no longer exist.
func (s *Service) checkIdle(ctx context.Context, project core.ID) error {
	chats, err := s.deps.Store.Tables().Chats.List(ctx, project)
	if err != nil {
		return err
	}
	for _, chat := range chats {
		if chat.Running {
			return core.Errorf(core.CodeChatBusy, "the agent is working: try again when it is done")
		}
	}
	return nil
}
