package accounts

import (
	"context"
	"errors"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/ports/storage"
)

// SetupLifetime is how long an app can be confirmed after its secret was made.
const SetupLifetime = 15 * time.Minute

// Factors has the use cases around a person's own second factor. Only accounts with a verified
// address have one: proving an unverified address takes the account back from everybody
// who used it before (shutOut), and would have to lose the factor too.
type Factors struct {
	deps     *Deps
	profiles *Profiles
	codes    codes
}

// FactorStatus shows people their second factor.
type FactorStatus struct {
	// TOTP says that signing in needs a code of an app.
	TOTP bool `json:"totp"`
	// Passkeys is how many passkeys can be used in place of a code.
	Passkeys          int `json:"passkeys"`
	RecoveryCodesLeft int `json:"recoveryCodesLeft"`
}

// OwnFactors says what people can prove with that an account is theirs.
type OwnFactors struct {
	FactorStatus
	// HasPassword is false for people who signed up by an identity provider and chose none.
	HasPassword bool `json:"hasPassword"`
}

// AppSetup is the key with which an app makes codes. URI is for a QR code, Secret to type in.
type AppSetup struct {
	Secret string `json:"secret"`
	URI    string `json:"uri"`
}

// Proof shows that a caller owns the account: either the password, or a code of the app or a
// recovery code. The other is "", and both are for people without a password after a recent sign-in.
type Proof struct{ Password, Code string }

// Status returns which second factor the caller has. A caller with an API token has code
// core.CodeInsufficientScope, as in all of these use cases.
func (f *Factors) Status(ctx context.Context, by core.Actor) (OwnFactors, error) {
	if err := ownAccount(by); err != nil {
		return OwnFactors{}, err
	}
	tables := f.deps.Store.Tables()
	user, err := tables.Users.ByID(ctx, by.UserID)
	if err != nil {
		return OwnFactors{}, withoutAccount(err)
	}
	factor, err := factorOf(ctx, tables, by.UserID)
	return OwnFactors{statusOf(factor), user.PasswordHash != ""}, err
}

func statusOf(factor core.Factor) FactorStatus {
	if !factor.On() {
		return FactorStatus{}
	}
	return FactorStatus{TOTP: factor.HasApp(), Passkeys: factor.Passkeys, RecoveryCodesLeft: len(factor.RecoveryHashes)}
}

// factorOf returns a user's factor, which is off for a user without one.
func factorOf(ctx context.Context, tables storage.Tables, user core.ID) (core.Factor, error) {
	factor, err := tables.Factors.Of(ctx, user)
	if core.IsCode(err, core.CodeNotFound) {
		return core.Factor{UserID: user}, nil
	}
	return factor, err
}

// Begin makes the secret of an app, which Confirm puts in force within SetupLifetime. Until
// then nothing changes: a setup that was given up locks nobody out. While a factor is on, code
// must be a code of it.
//
// It returns core.CodeInvalidCredentials for a wrong password or code, core.CodeSignInAgain for an
// account without a password after RecentSignIn, core.CodeConflict for one without a verified address,
// core.CodeValidationFailed if the code is missing, and core.CodeRateLimited beyond MaxGuesses.
func (f *Factors) Begin(ctx context.Context, by core.Actor, password, code string) (AppSetup, error) {
	var setup AppSetup
	err := f.Enrol(ctx, by, Enrolment{Password: password, Code: code}, func(ctx context.Context, tables storage.Tables, owner core.User, factor core.Factor) error {
		secret, uri, err := f.deps.Codes.New(f.deps.Settings.Issuer, owner.Email)
		if err != nil {
			return err
		}
		if factor.SealedPending, err = f.deps.Sealer.Seal([]byte(secret), factorPlace(owner.ID)); err != nil {
			return err
		}
		factor.PendingUntil = f.deps.now().Add(SetupLifetime)
		setup = AppSetup{Secret: secret, URI: uri}
		return tables.Factors.Put(ctx, factor)
	})
	if err != nil {
		return AppSetup{}, err
	}
	return setup, nil
}

// checkOwner returns the caller's account, unless its session ended or its password changed
// since it was compared.
func checkOwner(ctx context.Context, tables storage.Tables, by core.Actor, hash string) (core.User, error) {
	if err := checkSession(ctx, tables, by); err != nil {
		return core.User{}, err
	}
	user, err := tables.Users.ByID(ctx, by.UserID)
	if err == nil && user.PasswordHash != hash {
		err = wrongPassword("password")
	}
	return user, err
}

// Confirm turns the app on, or exchanges it, with a code of the app of Begin. It returns the
// recovery codes, which cannot be read again and replace all earlier ones, also those of passkeys. Sessions go on;
// sign-ins that wait for a code start again.
//
// It returns core.CodeInvalidCredentials for a wrong code, core.CodeConflict if there is no setup
// or it took too long, and core.CodeRateLimited beyond MaxGuesses.
func (f *Factors) Confirm(ctx context.Context, by core.Actor, code string) (recovery []string, err error) {
	if err := ownAccount(by); err != nil {
		return nil, err
	}
	err = f.codes.counted(ownCodes(by.UserID), true, func() error {
		return f.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
			if err := checkSession(ctx, tables, by); err != nil {
				return err
			}
			factor, err := factorOf(ctx, tables, by.UserID)
			if err != nil {
				return err
			}
			if err := f.codes.confirm(&factor, code); err != nil {
				return err
			}
			recovery = renewRecoveryCodes(&factor)
			if err := tables.Factors.Put(ctx, factor); err != nil {
				return err
			}
			return f.tell(ctx, tables, by, core.AuditFactorOn, mailer.NoticeFactorOn)
		})
	})
	if err != nil {
		return nil, withoutAccount(err)
	}
	f.profiles.standings.forget(by.UserID)
	f.deps.Mails.Wake()
	return recovery, nil
}

// renewRecoveryCodes gives a factor new recovery codes and returns them.
func renewRecoveryCodes(factor *core.Factor) []string {
	texts, hashes := make([]string, core.RecoveryCodes), make([]string, core.RecoveryCodes)
	for i := range texts {
		texts[i] = core.NewRecoveryCode()
		hashes[i] = core.HashRecoveryCode(factor.UserID, texts[i])
	}
	factor.RecoveryHashes = hashes
	return texts
}

// RenewRecoveryCodes returns new recovery codes, which replace all earlier ones. It returns
// core.CodeInvalidCredentials for a wrong proof, core.CodeValidationFailed for none or two,
// core.CodeSignInAgain for none of somebody without a password after RecentSignIn, core.CodeConflict while the factor is off, and core.CodeRateLimited beyond MaxGuesses.
func (f *Factors) RenewRecoveryCodes(ctx context.Context, by core.Actor, proof Proof) (recovery []string, err error) {
	err = f.change(ctx, by, proof, func(ctx context.Context, tables storage.Tables, factor core.Factor) error {
		recovery = renewRecoveryCodes(&factor)
		if err := tables.Factors.Put(ctx, factor); err != nil {
			return err
		}
		return f.tell(ctx, tables, by, core.AuditRecoveryCodes, mailer.NoticeRecoveryCodes)
	})
	if err != nil {
		return nil, err
	}
	return recovery, nil
}

// TurnOff removes the app, and with it the factor of somebody without passkeys. Its errors are those
// of RenewRecoveryCodes; core.CodeConflict also says that there is no app, or that the installation
// or a workspace requires a factor and nothing else is left.
func (f *Factors) TurnOff(ctx context.Context, by core.Actor, proof Proof) error {
	return f.change(ctx, by, proof, func(ctx context.Context, tables storage.Tables, factor core.Factor) error {
		if !factor.HasApp() {
			return core.Errorf(core.CodeConflict, "there is no authenticator app, only passkeys: delete these")
		}
		factor.SealedSecret, factor.ConfirmedAt, factor.LastStep = nil, 0, 0
		factor.SealedPending, factor.PendingUntil = nil, 0
		if err := f.keep(ctx, tables, factor); err != nil {
			return err
		}
		return f.tell(ctx, tables, by, core.AuditFactorOff, offNotice(factor))
	})
}

// change runs do on the factor of a caller who proved to own the account, in one transaction
// with the use of the code.
func (f *Factors) change(ctx context.Context, by core.Actor, proof Proof, do func(context.Context, storage.Tables, core.Factor) error) error {
	if err := ownAccount(by); err != nil {
		return err
	}
	if proof.Password != "" && proof.Code != "" {
		return core.Errorf(core.CodeValidationFailed, "give either password or code")
	}
	var owner core.User
	if proof.Code == "" {
		var err error
		owner, err = f.profiles.checkPassword(ctx, by, proof.Password)
		if proof.Password == "" && core.IsCode(err, core.CodeInvalidCredentials) {
			err = core.Errorf(core.CodeValidationFailed, "give either password or code")
		}
		if err != nil {
			return err
		}
	}
	err := f.codes.counted(ownCodes(by.UserID), proof.Code != "", func() error {
		return f.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
			if err := checkSession(ctx, tables, by); err != nil {
				return err
			}
			if proof.Code == "" {
				if _, err := checkOwner(ctx, tables, by, owner.PasswordHash); err != nil {
					return err
				}
			}
			factor, err := factorOf(ctx, tables, by.UserID)
			if err != nil {
				return err
			}
			if !factor.On() {
				return core.Errorf(core.CodeConflict, "two-step verification is not turned on")
			}
			if proof.Code != "" {
				if _, err := f.codes.use(&factor, proof.Code); err != nil {
					return err
				}
			}
			return do(ctx, tables, factor)
		})
	})
	if err == nil {
		f.profiles.standings.forget(by.UserID)
		f.deps.Mails.Wake()
	}
	return withoutAccount(err)
}

// tell ends the sign-ins that wait for a code, and records and mails what happened.
func (f *Factors) tell(ctx context.Context, tables storage.Tables, by core.Actor, action core.AuditAction, notice mailer.NoticeKind) error {
	user, err := tables.Users.ByID(ctx, by.UserID)
	if err != nil {
		return err
	}
	return errors.Join(
		tables.Tickets.DeleteOf(ctx, user.ID, core.TicketSecondFactor),
		f.deps.Mails.Notify(ctx, tables, user, noticeOf(by, notice)),
		f.deps.Audit.RecordPerson(ctx, tables, by, user.ID, action, user.Email),
	)
}

// factorPlace binds a sealed secret to its owner.
func factorPlace(user core.ID) string { return "second factor of " + string(user) }
