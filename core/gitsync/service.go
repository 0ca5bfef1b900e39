package gitsync

import (
	"context"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/tasks"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
)

// Tasks begins tasks of the agent; tasks.Board implements it.
type Tasks interface {
	Begin(ctx context.Context, by core.Actor, project core.ID, draft tasks.Draft) (tasks.View, error)
}

// Deps has the dependencies of a Service. Log gets failures of the background work.
type Deps struct {
	Gate     *access.Gate
	Store    storage.Store
	Audit    *audit.Log
	Sealer   identity.Sealer
	Remotes  vcs.Remotes
	Arrivals files.Arrivals
	History  files.History
	Tasks    Tasks
	// MaxFileBytes is the largest file that may arrive, in bytes.
	MaxFileBytes files.MaxFileBytes
	Now          func() time.Time
	Log          *slog.Logger
}

// Service has the use cases around connections with repositories on other hosts, and their worker.
// Methods that take an actor first ask the gate; their errors are those of access.Gate.Project and
// those that the method names. Without a connection they return core.CodeNotFound. It is started
// once and closed before the store.
type Service struct {
	deps  Deps
	wake  ctxsync.Signal
	life  context.Context
	end   context.CancelFunc
	tasks sync.WaitGroup
}

// New returns a service whose worker has not started.
func New(deps Deps) *Service {
	life, end := context.WithCancel(context.Background())
	return &Service{deps: deps, wake: ctxsync.NewSignal(), life: life, end: end}
}

func (s *Service) now() core.Time { return core.At(s.deps.Now()) }

// Connection is a connection as members see it.
type Connection struct {
	URL      string `json:"url"`
	Branch   string `json:"branch"`
	Username string `json:"username"`
	// HasToken says that a token is stored; it is never given back.
	HasToken bool             `json:"hasToken"`
	State    core.RemoteState `json:"state"`
	// Problem says what is wrong and what to do, nil if nothing is.
	Problem   *string              `json:"problem"`
	Conflicts []core.MergeConflict `json:"conflicts"`
	// TaskID is the task in which the agent settles the conflicts.
	TaskID   *core.ID   `json:"taskId"`
	SyncedAt *core.Time `json:"syncedAt"`
	// NextAt is when the host is asked again.
	NextAt    core.Time `json:"nextAt"`
	CreatedBy core.ID   `json:"createdBy"`
	CreatedAt core.Time `json:"createdAt"`
	// Hook is there when the connection was just made, and never again.
	Hook *Hook `json:"hook,omitempty"`
}

// Hook is the address and the secret with which a host calls the webhook.
type Hook struct {
	// Token is the last segment of the webhook's address.
	Token  string `json:"-"`
	URL    string `json:"url"`
	Secret string `json:"secret"`
}

func shown(remote core.ProjectRemote) Connection {
	view := Connection{
		URL: remote.Address, Branch: remote.Branch, Username: remote.Username, HasToken: len(remote.Sealed) > 0, State: remote.State,
		Conflicts: append([]core.MergeConflict{}, remote.Conflicts...), TaskID: remote.TaskID, NextAt: remote.DueAt,
		CreatedBy: remote.CreatedBy, CreatedAt: remote.CreatedAt,
	}
	if remote.Problem != "" {
		view.Problem = &remote.Problem
	}
	if remote.SyncedAt != 0 {
		view.SyncedAt = &remote.SyncedAt
	}
	return view
}

// Get returns a project's connection.
func (s *Service) Get(ctx context.Context, by core.Actor, project core.ID) (Connection, error) {
	remote, err := s.find(ctx, by, core.ActionRemoteRead, project)
	if err != nil {
		return Connection{}, err
	}
	return shown(remote), nil
}

func (s *Service) find(ctx context.Context, by core.Actor, action core.Action, project core.ID) (core.ProjectRemote, error) {
	if _, err := s.deps.Gate.Project(ctx, by, action, project); err != nil {
		return core.ProjectRemote{}, err
	}
	return s.deps.Store.Tables().ProjectRemotes.ByProject(ctx, project)
}

// Input describes a connection.
type Input struct {
	// URL is that of the repository, without credentials.
	URL string
	// Branch is a short name; "" is the default branch.
	Branch string
	// Username goes with the token; "" suits hosts that only look at the token.
	Username string
	// Token is nil for a public repository, and to keep the stored one of the same URL.
	Token *string
}

// Connect connects a project, in the place of its connection so far, and begins to exchange versions
// in the name of the caller. It returns core.CodeValidationFailed for a field out of bounds.
func (s *Service) Connect(ctx context.Context, by core.Actor, project core.ID, input Input) (Connection, error) {
	if err := input.check(); err != nil {
		return Connection{}, err
	}
	now, token := s.now(), core.NewSecret()
	remote := core.ProjectRemote{
		ID: core.NewID(), ProjectID: project, Address: input.URL, Branch: input.Branch, Username: input.Username, HookHash: core.HashSecret(token),
		State: core.RemoteNew, DueAt: now, CreatedBy: by.UserID, CreatedAt: now, UpdatedAt: now,
	}
	err := s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		found, err := access.ProjectIn(ctx, tables, by, core.ActionRemoteWrite, project)
		if err != nil {
			return err
		}
		former, err := tables.ProjectRemotes.ByProject(ctx, project)
		switch {
		case err == nil:
			err = tables.ProjectRemotes.Delete(ctx, former.ID)
		case core.IsCode(err, core.CodeNotFound):
			err = nil
		}
		if err == nil {
			err = s.sealToken(&remote, input, former)
		}
		if err == nil {
			err = tables.ProjectRemotes.Create(ctx, remote)
		}
		if err != nil {
			return err
		}
		return s.deps.Audit.Record(ctx, tables, by, found.WorkspaceID, core.AuditRemoteConnected, string(project))
	})
	if err != nil {
		return Connection{}, err
	}
	s.wake.Send()
	view := shown(remote)
	view.Hook = &Hook{Token: token, Secret: s.hookSecret(remote.ID)}
	return view, nil
}

// sealToken stores the token, or keeps that of the connection before.
func (s *Service) sealToken(remote *core.ProjectRemote, input Input, former core.ProjectRemote) error {
	var token []byte
	var err error
	switch {
	case input.Token != nil:
		token = []byte(*input.Token)
	case former.Address == remote.Address && len(former.Sealed) > 0:
		token, err = s.deps.Sealer.Open(former.Sealed, placeOf(former.ID))
	}
	if err != nil || len(token) == 0 {
		return err
	}
	remote.Sealed, err = s.deps.Sealer.Seal(token, placeOf(remote.ID))
	return err
}

// check validates the fields; the host is asked later.
func (i Input) check() error {
	address, err := url.Parse(i.URL)
	switch {
	case err != nil || address.Host == "" || utf8.RuneCountInString(i.URL) > core.MaxRemoteAddressChars:
		return core.Errorf(core.CodeValidationFailed, "url must be the address of a repository, of at most %d characters, such as https://github.com/ann/shop.git", core.MaxRemoteAddressChars)
	case address.Scheme != "https" && address.Scheme != "http":
		return core.Errorf(core.CodeValidationFailed, "url must begin with https://: SSH and deploy keys are not supported, use a token")
	case address.User != nil:
		return core.Errorf(core.CodeValidationFailed, "url must have no credentials: send them as username and token")
	case address.RawQuery != "" || address.Fragment != "":
		return core.Errorf(core.CodeValidationFailed, "url must have no query and no fragment")
	case utf8.RuneCountInString(i.Branch) > core.MaxRemoteBranchChars || !isBranch(i.Branch):
		return core.Errorf(core.CodeValidationFailed, "branch must be the name of a branch, of at most %d characters", core.MaxRemoteBranchChars)
	case len(i.Username) > core.MaxRemoteBranchChars || strings.ContainsAny(i.Username, ":\r\n\x00"):
		return core.Errorf(core.CodeValidationFailed, "username must have at most %d bytes, without colons and line breaks", core.MaxRemoteBranchChars)
	case i.Token != nil && (len(*i.Token) > core.MaxRemoteTokenBytes || strings.ContainsAny(*i.Token, "\r\n\x00")):
		return core.Errorf(core.CodeValidationFailed, "token must have at most %d bytes, without line breaks", core.MaxRemoteTokenBytes)
	}
	return nil
}

// isBranch reports whether a name can be that of a branch, as git-check-ref-format says. "" is the
// default branch.
func isBranch(name string) bool {
	if name == "" {
		return true
	}
	if strings.ContainsAny(name, " ~^:?*[\\\x7f") || strings.Contains(name, "..") || strings.Contains(name, "@{") || strings.Contains(name, "//") || name == "@" {
		return false
	}
	for _, r := range name {
		if r < ' ' {
			return false
		}
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock") || strings.HasSuffix(part, ".") {
			return false
		}
	}
	return !strings.HasPrefix(name, "-")
}

// Disconnect ends a connection. Both sides stay as they are.
func (s *Service) Disconnect(ctx context.Context, by core.Actor, project core.ID) error {
	return s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		found, err := access.ProjectIn(ctx, tables, by, core.ActionRemoteWrite, project)
		if err != nil {
			return err
		}
		remote, err := tables.ProjectRemotes.ByProject(ctx, project)
		if err == nil {
			err = tables.ProjectRemotes.Delete(ctx, remote.ID)
		}
		if err != nil {
			return err
		}
		return s.deps.Audit.Record(ctx, tables, by, found.WorkspaceID, core.AuditRemoteDisconnected, string(project))
	})
}

// Sync has the host asked at once. It does not wait for the exchange.
func (s *Service) Sync(ctx context.Context, by core.Actor, project core.ID) (Connection, error) {
	remote, err := s.find(ctx, by, core.ActionRemoteMerge, project)
	if err != nil {
		return Connection{}, err
	}
	return s.hasten(ctx, remote.ID)
}

// hasten makes a connection due.
func (s *Service) hasten(ctx context.Context, id core.ID) (Connection, error) {
	remote, err := s.deps.Store.Tables().ProjectRemotes.Update(ctx, id, func(stored *core.ProjectRemote) error {
		stored.DueAt = s.now()
		return nil
	})
	if err != nil {
		return Connection{}, err
	}
	s.wake.Send()
	return shown(remote), nil
}
