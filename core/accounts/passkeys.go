package accounts

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/ports/storage"
)

// ProofPasskey is the proof of a sign-in with a passkey alone.
const ProofPasskey = "passkey"

// Key proves in a transaction that a person has a passkey, and notes its use. A wrong proof has
// code core.CodeInvalidCredentials.
type Key func(ctx context.Context, tables storage.Tables, user core.User) error

// Enrolment is what people prove before they get another second factor: the password, and while a
// factor is on, a code of it or a passkey. Code is "" and Key nil without one.
type Enrolment struct {
	Password, Code string
	Key            Key
}

// Enrol runs do for a caller who proves to own the account, in one transaction with the proof. Its
// errors are those of Begin.
func (f *Factors) Enrol(ctx context.Context, by core.Actor, proof Enrolment, do func(context.Context, storage.Tables, core.User, core.Factor) error) error {
	if err := ownAccount(by); err != nil {
		return err
	}
	if proof.Code != "" && proof.Key != nil {
		return core.Errorf(core.CodeValidationFailed, "give either code or credential")
	}
	owner, err := f.profiles.checkPassword(ctx, by, proof.Password)
	if err != nil {
		return err
	}
	if !owner.EmailVerified {
		return core.Errorf(core.CodeConflict, "confirm your e-mail address first: until then, anyone who reads its mail can take over the account")
	}
	err = f.codes.counted(ownCodes(owner.ID), proof.Code != "" || proof.Key != nil, func() error {
		return f.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
			user, err := checkOwner(ctx, tables, by, owner.PasswordHash)
			if err != nil {
				return err
			}
			factor, err := factorOf(ctx, tables, owner.ID)
			if err != nil {
				return err
			}
			if factor, err = f.second(ctx, tables, user, factor, proof); err != nil {
				return err
			}
			return do(ctx, tables, user, factor)
		})
	})
	return withoutAccount(err)
}

// second checks the second proof, and returns the factor as it is after that.
func (f *Factors) second(ctx context.Context, tables storage.Tables, user core.User, factor core.Factor, proof Enrolment) (core.Factor, error) {
	switch {
	case proof.Key != nil:
		return factor, proof.Key(ctx, tables, user)
	case !factor.On():
		return factor, nil
	case proof.Code == "":
		return factor, core.Errorf(core.CodeValidationFailed, "code must be given while two-step verification is on")
	}
	_, err := f.codes.use(&factor, proof.Code)
	return factor, err
}

// Passkeys returns the caller's passkeys, the oldest first.
func (f *Factors) Passkeys(ctx context.Context, by core.Actor) ([]core.Passkey, error) {
	if err := ownAccount(by); err != nil {
		return nil, err
	}
	return f.deps.Store.Tables().Passkeys.OfUser(ctx, by.UserID)
}

// AddPasskey gives the caller a passkey that they proved to have, after an Enrol in the same session.
// It returns recovery codes if the caller has none. It returns core.CodeConflict for a credential
// that is known, and beyond core.MaxPasskeys.
func (f *Factors) AddPasskey(ctx context.Context, by core.Actor, passkey core.Passkey) (recovery []string, err error) {
	if err := ownAccount(by); err != nil {
		return nil, err
	}
	err = f.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		recovery = nil
		factor, err := f.locked(ctx, tables, by)
		if err != nil {
			return err
		}
		if factor.Passkeys >= core.MaxPasskeys {
			return TooManyPasskeys()
		}
		if len(factor.RecoveryHashes) == 0 {
			recovery = renewRecoveryCodes(&factor)
		}
		factor.Passkeys++
		if err := tables.Passkeys.Create(ctx, passkey); err != nil {
			return err
		}
		if err := tables.Factors.Put(ctx, factor); err != nil {
			return err
		}
		return f.tell(ctx, tables, by, core.AuditPasskeyAdded, mailer.NoticePasskeyAdded)
	})
	if err != nil {
		return nil, withoutAccount(err)
	}
	f.profiles.standings.forget(by.UserID)
	f.deps.Mails.Wake()
	return recovery, nil
}

// TooManyPasskeys is the error beyond core.MaxPasskeys.
func TooManyPasskeys() error {
	return core.Errorf(core.CodeConflict, "there are already %d passkeys: delete one first", core.MaxPasskeys)
}

// locked returns the caller's factor, for a session that goes on. Others who change the account's
// passkeys wait for the transaction.
func (f *Factors) locked(ctx context.Context, tables storage.Tables, by core.Actor) (core.Factor, error) {
	if _, err := tables.Users.Update(ctx, by.UserID, func(*core.User) error { return nil }); err != nil {
		return core.Factor{}, err
	}
	if err := checkSession(ctx, tables, by); err != nil {
		return core.Factor{}, err
	}
	return factorOf(ctx, tables, by.UserID)
}

// RemovePasskey deletes a passkey of the caller's, and with the last one the factor of somebody
// without an app. Its errors are those of RenewRecoveryCodes, core.CodeNotFound, and
// core.CodeConflict if the installation or a workspace requires a factor and nothing else is left.
func (f *Factors) RemovePasskey(ctx context.Context, by core.Actor, id core.ID, proof Proof) error {
	missing := false
	err := f.change(ctx, by, proof, func(ctx context.Context, tables storage.Tables, used core.Factor) error {
		factor, err := f.locked(ctx, tables, by)
		if err != nil {
			return err
		}
		factor.LastStep, factor.RecoveryHashes = used.LastStep, used.RecoveryHashes
		_, err = tables.Passkeys.Delete(ctx, by.UserID, id)
		if missing = core.IsCode(err, core.CodeNotFound); missing {
			return errNoPasskey
		}
		if err != nil {
			return err
		}
		factor.Passkeys--
		if err := f.checkStaysOpen(ctx, tables, factor); err != nil {
			return err
		}
		if err := f.keep(ctx, tables, factor); err != nil {
			return err
		}
		return f.tell(ctx, tables, by, core.AuditPasskeyRemoved, mailer.NoticePasskeyRemoved)
	})
	if missing {
		return core.NotFound("passkey")
	}
	return err
}

// checkStaysOpen returns core.CodeConflict if a person would lose the only way into the account with
// the last passkey, because passwords are off.
func (f *Factors) checkStaysOpen(ctx context.Context, tables storage.Tables, left core.Factor) error {
	if left.Passkeys > 0 {
		return nil
	}
	err := f.deps.Doors.CheckPasswords(ctx, tables)
	if !core.IsCode(err, core.CodePasswordSignInOff) {
		return err
	}
	linked, err := tables.Identities.OfUser(ctx, left.UserID)
	if err == nil && len(linked) == 0 {
		return core.Errorf(core.CodeConflict, "this passkey is the only way into the account while passwords are turned off: add another one first")
	}
	return err
}

// errNoPasskey ends a transaction; callers see core.CodeNotFound.
var errNoPasskey = core.Errorf(core.CodeConflict, "no such passkey")

// keep stores what is left of a factor. Without anything it is deleted, unless the installation or
// a workspace requires one.
func (f *Factors) keep(ctx context.Context, tables storage.Tables, factor core.Factor) error {
	if factor.On() {
		return tables.Factors.Put(ctx, factor)
	}
	decided, err := tables.InstanceSettings.Get(ctx)
	if err != nil {
		return err
	}
	if decided.RequireMFA {
		return core.Errorf(core.CodeConflict, "this service requires two-step verification: set up another way first")
	}
	requiring, err := access.Requiring(ctx, tables, factor.UserID)
	if err != nil {
		return err
	}
	if len(requiring) > 0 {
		return core.Errorf(core.CodeConflict, "the workspace %q requires two-step verification: set up another way first", requiring[0].Name)
	}
	return tables.Factors.DeleteOf(ctx, factor.UserID)
}

// offNotice is the mail after an app was removed.
func offNotice(left core.Factor) mailer.NoticeKind {
	if left.On() {
		return mailer.NoticeAppRemoved
	}
	return mailer.NoticeFactorOff
}
