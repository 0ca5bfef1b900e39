package accounts

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/ports/storage"
)

// Profiles has the use cases around a person's own account.
type Profiles struct {
	deps      *Deps
	standings *standings
	guesses   *guesses
}

// Home is a user with the workspace that the studio opens first: the personal
// one, else the oldest.
type Home struct {
	User      core.User
	Workspace core.Workspace
	// Role is the user's in the workspace.
	Role core.Role
}

// Me returns the caller's account. It returns core.CodeUnauthenticated if the account
// no longer exists, and core.CodeInsufficientScope to a caller with an API token.
func (p *Profiles) Me(ctx context.Context, by core.Actor) (Home, error) {
	if err := ownAccount(by); err != nil {
		return Home{}, err
	}
	tables := p.deps.Store.Tables()
	user, spaces, err := tables.Users.WithWorkspaces(ctx, by.UserID)
	if err != nil {
		return Home{}, withoutAccount(err)
	}
	space, role, err := homeAmong(spaces, by.UserID)
	return Home{user, space, role}, err
}

// homeAmong returns the workspace that the studio opens first, with the user's role:
// their own personal one, else the first of all. Others may have invited the person
// into their personal workspaces.
func homeAmong(spaces []core.JoinedWorkspace, user core.ID) (core.Workspace, core.Role, error) {
	if len(spaces) == 0 {
		return core.Workspace{}, "", core.Errorf(core.CodeInternal, "user %s has no workspace", user)
	}
	home := spaces[0]
	for _, space := range spaces {
		if !space.Personal || space.IsOwn() {
			home = space
			break
		}
	}
	return home.Workspace, home.Role, nil
}

// Change is a change of a person's account. A nil field is left unchanged.
type Change struct {
	// DisplayName points to nil to remove the name.
	DisplayName **string
	Password    *PasswordChange
	// Language is that of mails, "" to keep it.
	Language core.Language
}

// PasswordChange replaces a password; it has the current one as proof.
type PasswordChange struct {
	Current string
	New     string
}

// Update changes the caller's account, all or nothing. It returns
// core.CodeValidationFailed for a field out of bounds, core.CodeInvalidCredentials
// for a wrong current password, and core.CodeInsufficientScope to a caller with an
// API token. A new password ends every session, including the caller's.
func (p *Profiles) Update(ctx context.Context, by core.Actor, change Change) (core.User, error) {
	if err := ownAccount(by); err != nil {
		return core.User{}, err
	}
	name, err := checkNameChange(change.DisplayName)
	if err != nil {
		return core.User{}, err
	}
	from, to, err := p.replacePassword(ctx, by, change.Password)
	if err != nil {
		return core.User{}, err
	}
	var user core.User
	err = p.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) (err error) {
		user, err = tables.Users.Update(ctx, by.UserID, func(user *core.User) error {
			if name != nil {
				user.DisplayName = *name
			}
			user.Language = cmp.Or(change.Language, user.Language)
			return setPassword(user, change.Password != nil, from, to)
		})
		if err != nil || change.Password == nil {
			return err
		}
		if err := errors.Join(voidLinks(ctx, tables, user.ID), tables.Sessions.DeleteOf(ctx, user.ID)); err != nil {
			return err
		}
		if err := p.deps.Mails.Notify(ctx, tables, user, noticeOf(by, mailer.NoticePasswordChanged)); err != nil {
			return err
		}
		return p.deps.Audit.RecordPerson(ctx, tables, by, user.ID, core.AuditPasswordChanged, user.Email)
	})
	if err != nil {
		return core.User{}, withoutAccount(err)
	}
	if change.Password != nil {
		p.standings.forget(by.UserID)
		p.deps.Mails.Wake()
	}
	return user, nil
}

// setPassword replaces a hash, unless another change came first (optimistic
// locking): then this one's proof is void.
func setPassword(user *core.User, wanted bool, from, to string) error {
	if !wanted {
		return nil
	}
	if user.PasswordHash != from {
		return wrongPassword("currentPassword")
	}
	user.PasswordHash = to
	user.CredentialVersion++
	return nil
}

func checkNameChange(name **string) (**string, error) {
	if name == nil {
		return nil, nil
	}
	checked, err := checkDisplayName(*name)
	return &checked, err
}

// replacePassword returns the hash that the current password matches and the
// hash of the new one; both are "" without a change.
func (p *Profiles) replacePassword(ctx context.Context, by core.Actor, change *PasswordChange) (from, to string, err error) {
	if change == nil {
		return "", "", nil
	}
	if err := core.CheckPassword(change.New); err != nil {
		return "", "", err
	}
	user, err := p.deps.Store.Tables().Users.ByID(ctx, by.UserID)
	if err != nil {
		return "", "", withoutAccount(err)
	}
	match, err := p.tryPassword(ctx, user, change.Current)
	if err != nil {
		return "", "", err
	}
	if !match {
		return "", "", wrongPassword("currentPassword")
	}
	if err := user.CheckPassword(change.New); err != nil {
		return "", "", err
	}
	to, err = p.deps.Passwords.Hash(ctx, change.New)
	return user.PasswordHash, to, err
}

// tryPassword compares a password with the caller's. Wrong ones are counted, separately from
// those of sign-ins: beyond MaxGuesses it returns core.CodeRateLimited.
func (p *Profiles) tryPassword(ctx context.Context, user core.User, password string) (match bool, err error) {
	account := "change " + string(user.ID)
	if p.deps.Settings.LimitGuesses {
		if err := p.guesses.take(account); err != nil {
			return false, err
		}
	}
	match, err = p.deps.Passwords.Verify(ctx, user.PasswordHash, password)
	if p.deps.Settings.LimitGuesses && (err != nil || match) {
		p.guesses.giveBack(account)
	}
	return match, err
}

// RecentSignIn is how long after a sign-in people without a password may do what others confirm
// with theirs.
const RecentSignIn = 10 * time.Minute

// checkPassword returns the caller's account if the password is theirs, else
// core.CodeInvalidCredentials. People without one must have signed in within RecentSignIn, else they
// get core.CodeSignInAgain.
func (p *Profiles) checkPassword(ctx context.Context, by core.Actor, password string) (core.User, error) {
	user, err := p.deps.Store.Tables().Users.ByID(ctx, by.UserID)
	if err != nil {
		return core.User{}, withoutAccount(err)
	}
	if user.PasswordHash == "" {
		return user, p.checkRecentSignIn(ctx, by)
	}
	match, err := p.tryPassword(ctx, user, password)
	if err == nil && !match {
		err = wrongPassword("password")
	}
	return user, err
}

func (p *Profiles) checkRecentSignIn(ctx context.Context, by core.Actor) error {
	session, err := p.deps.Store.Tables().Sessions.ByID(ctx, by.SessionID)
	if err != nil && !core.IsCode(err, core.CodeNotFound) {
		return err
	}
	if err != nil || p.deps.now() > session.CreatedAt.Add(RecentSignIn) {
		return core.Errorf(core.CodeSignInAgain, "this account has no password, which would prove that it is yours: sign in again, and repeat this within 10 minutes")
	}
	return nil
}

func wrongPassword(field string) error {
	return core.Errorf(core.CodeInvalidCredentials, "%s is wrong", field)
}

// DeleteAccount deletes the caller's account, as instance.Departures does. The password confirms
// it, or a recent sign-in of somebody without one. Every session, API token and way to sign in ends: at once in this process, within 5 seconds in
// every other one, and streams and sockets close when they next check (10 seconds).
//
// It returns core.CodeInvalidCredentials for a wrong password, core.CodeSignInAgain for an account
// without one after RecentSignIn, core.CodeConflict for the last admin of the installation, and while others belong to a workspace of
// which the caller is the last owner or to their personal one; core.CodeRateLimited beyond
// MaxGuesses, and core.CodeInsufficientScope to a caller with an API token.
func (p *Profiles) DeleteAccount(ctx context.Context, by core.Actor, password string) error {
	if err := ownAccount(by); err != nil {
		return err
	}
	owner, err := p.checkPassword(ctx, by, password)
	if err != nil {
		return err
	}
	err = p.deps.Departures.Run(ctx, by, func(ctx context.Context, tables storage.Tables) (core.User, error) {
		return checkOwner(ctx, tables, by, owner.PasswordHash)
	})
	if err == nil {
		p.standings.forget(by.UserID)
	}
	return withoutAccount(err)
}
