package gitsync

import (
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/vcs"
)

const (
	// pullTime bounds what a host takes to send or take versions.
	pullTime = 90 * time.Second
	// rounds is how often an exchange begins anew because somebody else pushed.
	rounds = 4
	// maxPackBytes is the largest pack that is pulled, in bytes.
	maxPackBytes = 512 << 20
	// defaultUser is the name for hosts that want only a token.
	defaultUser = "x-access-token"
)

// errNoBranch says that the branch is gone.
var errNoBranch = core.Wrap(core.CodeValidationFailed, vcs.ErrNoBranch, "the branch is no longer there: it was deleted or renamed. Connect the project again, with its new name, or with the old one to make it anew")

// exchange makes a project and its branch alike. It returns the remote's branch, and the version
// that the branch was last seen at and that the project has, also with an error.
func (s *Service) exchange(ctx context.Context, remote core.ProjectRemote) (core.ProjectRemote, error) {
	by := core.Unattended(remote.CreatedBy)
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionRemoteMerge, remote.ProjectID); err != nil {
		return remote, ofOwner(err)
	}
	x := &exchange{Service: s, remote: remote}
	var err error
	if x.source, err = s.source(remote); err != nil {
		return remote, err
	}
	for range rounds {
		if err = x.round(ctx); !core.IsCode(err, core.CodeConflict) || len(conflictsOf(err)) > 0 {
			break
		}
	}
	return x.remote, err
}

// ownerError says that the person who connected a project may no longer change it.
type ownerError struct{ error }

// Unwrap returns the gate's error.
func (e ownerError) Unwrap() error { return e.error }

func ofOwner(err error) error {
	switch core.CodeOf(err) {
	case core.CodeNotFound, core.CodeForbidden, core.CodeUnauthenticated:
		return ownerError{err}
	}
	return err
}

func conflictsOf(err error) []core.MergeConflict {
	var known *core.Error
	if errors.As(err, &known) {
		return known.Conflicts
	}
	return nil
}

// source is the branch with the credentials of its host.
func (s *Service) source(remote core.ProjectRemote) (vcs.Source, error) {
	source := vcs.Source{Address: remote.Address}
	if remote.Branch != "" {
		source.Branch = &remote.Branch
	}
	if len(remote.Sealed) == 0 {
		return source, nil
	}
	token, err := s.deps.Sealer.Open(remote.Sealed, placeOf(remote.ID))
	if err != nil {
		return source, err
	}
	address, err := url.Parse(remote.Address)
	if err != nil {
		return source, core.Errorf(core.CodeValidationFailed, "the address is not a URL")
	}
	user := remote.Username
	if user == "" {
		user = defaultUser
	}
	address.User = url.UserPassword(user, string(token))
	source.Address = address.String()
	return source, nil
}

// placeOf binds a sealed token.
func placeOf(remote core.ID) string { return "remote " + string(remote) }

// exchange is one exchange of a project with its branch.
type exchange struct {
	*Service
	remote core.ProjectRemote
	source vcs.Source
}

// round is one attempt. It returns core.CodeConflict without conflicts if somebody else pushed.
func (x *exchange) round(ctx context.Context) error {
	tip, head, err := x.pull(ctx)
	if err != nil || head == tip || head == "" {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, pullTime)
	defer cancel()
	if err := x.deps.Remotes.Push(ctx, x.remote.ProjectID, x.source, vcs.Arrival{From: tip, To: head}); err != nil {
		return err
	}
	x.remote.Tip = head
	return nil
}

// pull brings the branch's versions into the project, and returns the newest of both.
func (x *exchange) pull(ctx context.Context) (tip, head string, err error) {
	headroom, err := x.deps.Arrivals.Headroom(ctx, x.remote.ProjectID)
	if err != nil {
		return "", "", err
	}
	limits := vcs.Limits{PackBytes: min(maxPackBytes, headroom.Bytes), FileBytes: int64(x.deps.MaxFileBytes), TreeBytes: max(1, headroom.TreeBytes)}
	pulling, cancel := context.WithTimeout(ctx, pullTime)
	defer cancel()
	pulled, err := x.deps.Remotes.Pull(pulling, x.remote.ProjectID, x.source, []string{x.remote.Tip}, limits)
	if err != nil {
		return "", "", err
	}
	defer func() { _ = pulled.Close() }()
	x.remote.Branch = pulled.Branch()
	x.source.Branch = &x.remote.Branch
	if tip = pulled.Tip(); tip == "" {
		if x.remote.Tip != "" {
			return "", "", errNoBranch
		}
		newest, err := x.deps.History.Versions(ctx, x.remote.ProjectID, "", 1)
		if err != nil || len(newest) == 0 {
			return "", "", err
		}
		return "", newest[0].ID, nil
	}
	head, err = x.take(ctx, pulled)
	return tip, head, err
}

// take makes the branch's versions the project's, and returns its newest version. It looks without
// the project's lock first, so that nothing is saved or locked while there is nothing to take.
func (x *exchange) take(ctx context.Context, pulled vcs.PulledBranch) (string, error) {
	agent, err := x.agentSettled(ctx, pulled.Tip())
	if err != nil {
		return "", err
	}
	settle := func(ctx context.Context, lines files.Lines) ([]vcs.JoinedFile, error) {
		p, err := newPlan(ctx, lines, nil, agent)
		if err != nil {
			return nil, err
		}
		return p.joined()
	}
	lines, err := x.deps.History.Lines(ctx, x.remote.ProjectID, pulled.Tip())
	switch {
	case core.IsCode(err, core.CodeNotFound):
	case err != nil:
		return "", err
	case lines.Base == lines.Theirs:
		x.remote.Tip = pulled.Tip()
		return lines.Ours, nil
	case lines.Base != lines.Ours:
		if _, err := settle(ctx, lines); err != nil {
			x.remote.Tip = pulled.Tip()
			return "", err
		}
	}
	adopt := func(ctx context.Context) error {
		err := pulled.Adopt(ctx)
		if err == nil {
			x.remote.Tip = pulled.Tip()
		}
		return err
	}
	return x.join(ctx, x.remote, core.Unattended(x.remote.CreatedBy), files.JoinRequest{Theirs: pulled.Tip(), Adopt: adopt, Merge: settle})
}

// agentSettled reports whether the agent has settled the conflicts with a version, in a task that a
// person has merged.
func (x *exchange) agentSettled(ctx context.Context, tip string) (bool, error) {
	if x.remote.TaskID == nil || x.remote.TaskTip != tip {
		return false, nil
	}
	task, err := x.deps.Store.Tables().Tasks.ByID(ctx, *x.remote.TaskID)
	if core.IsCode(err, core.CodeNotFound) {
		return false, nil
	}
	return err == nil && task.State == core.TaskMerged && task.VersionID != "", err
}

// join joins the two lines in the name of a person.
func (s *Service) join(ctx context.Context, remote core.ProjectRemote, by core.Actor, asked files.JoinRequest) (string, error) {
	user, err := s.deps.Store.Tables().Users.ByID(ctx, by.UserID)
	if err != nil {
		return "", ofOwner(err)
	}
	asked.Commit = vcs.Commit{Message: "Merge " + remote.Branch + " of " + hostOf(remote.Address), Author: files.AuthorOf(user), At: core.At(s.deps.Now())}
	asked.Ready = func(ctx context.Context) error { return s.checkIdle(ctx, remote.ProjectID) }
	return s.deps.Arrivals.As(s.deps.Gate, by, core.ActionRemoteMerge).Join(ctx, remote.ProjectID, asked)
}

func hostOf(address string) string {
	found, err := url.Parse(address)
	if err != nil {
		return "elsewhere"
	}
	return found.Host + found.EscapedPath()
}

// checkIdle returns core.CodeChatBusy while a run is active in the project: it would continue with
// files that no longer exist.
func (s *Service) checkIdle(ctx context.Context, project core.ID) error {
	chats, err := s.deps.Store.Tables().Chats.List(ctx, project)
	if err != nil {
		return err
	}
	for _, chat := range chats {
		if chat.Running {
			return core.Errorf(core.CodeChatBusy, "the agent is working: the exchange goes on when it is done")
		}
	}
	return nil
}
