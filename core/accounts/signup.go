package accounts

import (
	"context"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/instance"
	"github.com/atelierhq/atelier/ports/storage"
)

// NewAccount describes an account to create. DisplayName may be nil. Invite is the secret of an
// invitation, "" without one.
type NewAccount struct {
	Email       string
	Password    string
	DisplayName *string
	Invite      string
}

// SignUp creates a user with a personal workspace and signs them in, all or
// nothing. It returns core.CodeEmailTaken for an address in use, in any spelling
// and also under parallel calls, and core.CodeValidationFailed for a field out of
// bounds. Whom the installation does not admit gets core.CodeSignupClosed, whether the
// address is in use or not, and an address whose company has its own sign-in core.CodeCompanySignIn.
// While passwords are off, everybody but the first gets core.CodePasswordSignInOff. by has the
// address and the language of the call.
func (s *SignIns) SignUp(ctx context.Context, by core.Actor, account NewAccount) (Session, Home, error) {
	user, err := s.newUser(account)
	if err != nil {
		return Session{}, Home{}, err
	}
	who := instance.Newcomer{Email: user.Email, Secret: account.Invite, Password: true}
	// Checked before the slow hash, so that failing sign-ups cost little.
	if err := s.deps.Doors.Check(ctx, who); err != nil {
		return Session{}, Home{}, err
	}
	if err := s.deps.Companies.CheckAddress(ctx, s.deps.Store.Tables(), user.Email, ProofPassword); err != nil {
		return Session{}, Home{}, err
	}
	if err := s.checkFree(ctx, user.Email); err != nil {
		return Session{}, Home{}, err
	}
	user.PasswordHash, err = s.deps.Passwords.Hash(ctx, account.Password)
	if err != nil {
		return Session{}, Home{}, err
	}
	user.Language = by.Language
	var home Home
	var session Session
	err = s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) (err error) {
		if home, err = s.deps.create(ctx, tables, by, user, who); err != nil {
			return err
		}
		if session, err = s.sessions.begin(ctx, tables, home.User, arrival{by: by, proof: ProofPassword, signedUp: true}); err != nil {
			return err
		}
		if err := s.mailProof(ctx, tables, user); err != nil {
			return err
		}
		return s.deps.Audit.RecordPerson(ctx, tables, core.Actor{UserID: user.ID, IP: by.IP}, user.ID, core.AuditSignUp, user.Email)
	})
	if err != nil {
		return Session{}, Home{}, err
	}
	s.deps.Mails.Wake()
	return session, home, nil
}

// mailProof mails the link that verifies the address. An address that had too many of these
// mails today gets none, and can ask for one tomorrow.
func (s *SignIns) mailProof(ctx context.Context, tables storage.Tables, user core.User) error {
	err := s.deps.Mails.Prove(ctx, tables, user.Email, proofFor(user, core.TicketVerifyEmail))
	if core.IsCode(err, core.CodeRateLimited) {
		return nil
	}
	return err
}

func (s *SignIns) newUser(account NewAccount) (core.User, error) {
	email, err := core.NormalEmail(account.Email)
	if err != nil {
		return core.User{}, err
	}
	name, err := checkDisplayName(account.DisplayName)
	if err != nil {
		return core.User{}, err
	}
	user := core.User{ID: core.NewID(), Email: email, DisplayName: name, CreatedAt: s.deps.now()}
	return user, user.CheckPassword(account.Password)
}

func checkDisplayName(name *string) (*string, error) {
	if name == nil {
		return nil, nil
	}
	trimmed, err := core.CheckName("displayName", *name, core.MaxDisplayNameChars)
	return &trimmed, err
}

func (s *SignIns) checkFree(ctx context.Context, email string) error {
	_, err := s.deps.Store.Tables().Users.ByEmail(ctx, email)
	if err == nil {
		return core.Errorf(core.CodeEmailTaken, "this e-mail address already has an account")
	}
	if core.IsCode(err, core.CodeNotFound) {
		return nil
	}
	return err
}

// personalWorkspace returns a workspace named for the person, or for the part of
// the address before the "@", with a limit of credit in USD.
func personalWorkspace(user core.User, limit *float64) core.Workspace {
	name, _, _ := strings.Cut(user.Email, "@")
	if user.DisplayName != nil {
		name = *user.DisplayName
	}
	return core.NewWorkspace(name, true, limit, user.CreatedAt)
}

// create creates the account of a newcomer whom the installation admits, with the personal
// workspace.
func (d *Deps) create(ctx context.Context, tables storage.Tables, by core.Actor, user core.User, who instance.Newcomer) (Home, error) {
	admission, err := d.Doors.Admit(ctx, tables, who)
	if err != nil {
		return Home{}, err
	}
	user.Admin, user.EmailVerified = admission.Admin, user.EmailVerified || admission.Verified
	home := Home{user, personalWorkspace(user, admission.CreditLimit), core.RoleOwner}
	if err := tables.Users.Create(ctx, home.User); err != nil {
		return Home{}, err
	}
	if err := tables.Workspaces.Create(ctx, home.Workspace); err != nil {
		return Home{}, err
	}
	err = tables.Workspaces.PutMember(ctx, core.Membership{
		WorkspaceID: home.Workspace.ID, UserID: home.User.ID, Role: home.Role, JoinedAt: home.User.CreatedAt,
	})
	if err != nil {
		return Home{}, err
	}
	return home, d.Audit.RecordInstance(ctx, tables, core.Actor{UserID: user.ID, IP: by.IP}, core.AuditInstanceJoined, user.Email)
}
