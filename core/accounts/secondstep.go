package accounts

import (
	"context"
	"errors"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/ports/storage"
)

// A sign-in that waits for a second factor is a ticket. It lapses after SecondStepLifetime,
// after MaxWrongCodes, and with the credentials with which it began.
const (
	SecondStepLifetime = 5 * time.Minute
	MaxWrongCodes      = 5
)

// ProofPassword is the proof of a sign-in with a password, in core.Ticket.Proof as well.
const ProofPassword = "password"

// SecondSteps has the use case of finishing a sign-in with a second factor.
type SecondSteps struct {
	deps     *Deps
	sessions *Sessions
	codes    codes
}

// Finish opens the session of a sign-in that needs a second factor. token is that of the
// core.CodeMFARequired error; code is one of the app or a recovery code, which then is used up.
// by has the address of the call.
//
// A wrong code has code core.CodeInvalidCredentials, and beyond MaxGuesses for the account
// core.CodeRateLimited. A token that is wrong, expired or used has core.CodeInvalidToken, also
// after MaxWrongCodes, after a change of the password, and when the factor was changed. Of
// parallel calls with one token, and of those with one code, exactly one succeeds.
func (s *SecondSteps) Finish(ctx context.Context, by core.Actor, token, code string) (Session, error) {
	return s.finish(ctx, by, token, func(ctx context.Context, tables storage.Tables, user core.User) error {
		recovery, err := s.use(ctx, tables, user, code)
		if err == nil && recovery {
			err = s.tell(ctx, tables, by, user)
		}
		return err
	})
}

// FinishWithKey is Finish with a passkey in place of a code.
func (s *SecondSteps) FinishWithKey(ctx context.Context, by core.Actor, token string, key Key) (Session, error) {
	return s.finish(ctx, by, token, key)
}

func (s *SecondSteps) finish(ctx context.Context, by core.Actor, token string, prove Key) (Session, error) {
	user, err := s.Person(ctx, token)
	if err != nil {
		return Session{}, err
	}
	var made Session
	err = s.codes.counted(signInCodes(user.ID), true, func() (err error) {
		made, err = s.attempt(ctx, by, token, prove)
		return err
	})
	if core.IsCode(err, core.CodeInvalidCredentials) {
		s.deps.Audit.RecordFailure(ctx, by, user.ID, core.AuditFactorFailed, user.Email)
	}
	if err == nil {
		s.deps.Mails.Wake()
	}
	return made, err
}

// Person returns who signs in with a token, without spending it. Its errors are those of Finish.
func (s *SecondSteps) Person(ctx context.Context, token string) (user core.User, err error) {
	err = s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, user, err = s.take(ctx, tables, token); err != nil {
			return err
		}
		return errUnspent
	})
	if errors.Is(err, errUnspent) {
		return user, nil
	}
	return core.User{}, err
}

// take spends a token and returns its ticket and its person.
func (s *SecondSteps) take(ctx context.Context, tables storage.Tables, token string) (core.Ticket, core.User, error) {
	ticket, err := tables.Tickets.Take(ctx, core.TicketSecondFactor, core.HashSecret(token))
	if core.IsCode(err, core.CodeNotFound) || err == nil && ticket.ExpiresAt <= s.deps.now() {
		return core.Ticket{}, core.User{}, invalidStep()
	}
	if err != nil {
		return core.Ticket{}, core.User{}, err
	}
	user, err := tables.Users.ByID(ctx, ticket.UserID)
	if err != nil {
		return core.Ticket{}, core.User{}, err
	}
	if user.CredentialVersion != ticket.Version {
		return core.Ticket{}, core.User{}, invalidStep()
	}
	return ticket, user, checkEnabled(user)
}

func invalidStep() error {
	return core.Errorf(core.CodeInvalidToken, "this sign-in has expired or was already finished: sign in again")
}

// attempt tries a second factor. A wrong one is counted, so its transaction is committed as well.
func (s *SecondSteps) attempt(ctx context.Context, by core.Actor, token string, prove Key) (made Session, err error) {
	var wrong error
	err = s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		made, wrong = Session{}, nil
		ticket, user, err := s.take(ctx, tables, token)
		if err != nil {
			return err
		}
		err = prove(ctx, tables, user)
		if core.IsCode(err, core.CodeInvalidCredentials) {
			wrong, err = s.miss(ctx, tables, ticket, err)
			return err
		}
		if err != nil {
			return err
		}
		made, err = s.sessions.begin(ctx, tables, user, arrival{by: by, proof: ticket.Proof, factor: true})
		return err
	})
	if err == nil {
		err = wrong
	}
	if err != nil {
		return Session{}, err
	}
	return made, nil
}

// use uses up a code of a person's factor, and reports whether it was a recovery code. Without
// a factor the sign-in starts again.
func (s *SecondSteps) use(ctx context.Context, tables storage.Tables, user core.User, code string) (recovery bool, err error) {
	_, err = tables.Factors.Update(ctx, user.ID, func(factor *core.Factor) (err error) {
		if !factor.On() {
			return invalidStep()
		}
		recovery, err = s.codes.use(factor, code)
		return err
	})
	if core.IsCode(err, core.CodeNotFound) {
		err = invalidStep()
	}
	return recovery, err
}

// miss counts a wrong code, and returns what to tell. The ticket was taken; it goes on until
// there were too many.
func (s *SecondSteps) miss(ctx context.Context, tables storage.Tables, ticket core.Ticket, reason error) (wrong, err error) {
	if ticket.Wrong++; ticket.Wrong >= MaxWrongCodes {
		return core.Errorf(core.CodeInvalidCredentials, "the code is wrong, as others before: sign in again"), nil
	}
	return reason, tables.Tickets.Create(ctx, ticket)
}

// tell records and mails that a recovery code was used.
func (s *SecondSteps) tell(ctx context.Context, tables storage.Tables, by core.Actor, user core.User) error {
	return errors.Join(
		s.deps.Mails.Notify(ctx, tables, user, noticeOf(by, mailer.NoticeRecoveryCodeUsed)),
		s.deps.Audit.RecordPerson(ctx, tables, core.Actor{UserID: user.ID, IP: by.IP}, user.ID, core.AuditRecoveryCodeUsed, user.Email),
	)
}

// codes checks the codes of second factors. Wrong ones are counted for the whole account, like
// wrong passwords but apart from them, and apart for sign-ins and for changes in a session:
// somebody who only knows the password does not keep the owner from turning the factor off.
type codes struct {
	deps    *Deps
	guesses *guesses
}

func signInCodes(user core.ID) string { return "code " + string(user) }

func ownCodes(user core.ID) string { return "own code " + string(user) }

// counted runs do, which uses a code if counts says so, and counts it unless it was right.
func (c codes) counted(account string, counts bool, do func() error) error {
	if !counts || !c.deps.Settings.LimitGuesses {
		return do()
	}
	if err := c.guesses.take(account); err != nil {
		limited := core.Errorf(core.CodeRateLimited, "too many wrong codes for this account: try again later")
		if known := (*core.Error)(nil); errors.As(err, &known) {
			limited.RetryAfter = known.RetryAfter
		}
		return limited
	}
	err := do()
	if !core.IsCode(err, core.CodeInvalidCredentials) {
		c.guesses.giveBack(account)
	}
	return err
}

// use uses up a code of a factor that is on: one of the app, or a recovery code. It reports
// which. A wrong code has code core.CodeInvalidCredentials.
func (c codes) use(factor *core.Factor, code string) (recovery bool, err error) {
	if _, is := core.ParseTimeCode(code); is {
		if !factor.HasApp() {
			return false, wrongCode()
		}
		step, err := c.step(*factor, factor.SealedSecret, code, factor.LastStep)
		if err != nil {
			return false, err
		}
		factor.LastStep = step
		return false, nil
	}
	if factor.UseRecoveryCode(code) {
		return true, nil
	}
	return false, wrongCode()
}

// confirm turns a factor on, or exchanges its app, with a code of the app of its setup.
func (c codes) confirm(factor *core.Factor, code string) error {
	now := c.deps.now()
	if factor.SealedPending == nil || factor.PendingUntil <= now {
		return core.Errorf(core.CodeConflict, "the setup took too long or was not begun: begin it again")
	}
	step, err := c.step(*factor, factor.SealedPending, code, 0)
	if err != nil {
		return err
	}
	factor.SealedSecret, factor.ConfirmedAt, factor.LastStep = factor.SealedPending, now, step
	factor.SealedPending, factor.PendingUntil = nil, 0
	return nil
}

// step returns the step of time after last of which a code is.
func (c codes) step(factor core.Factor, sealed []byte, text string, last int64) (int64, error) {
	code, ok := core.ParseTimeCode(text)
	if !ok {
		return 0, wrongCode()
	}
	secret, err := c.deps.Sealer.Open(sealed, factorPlace(factor.UserID))
	if err != nil {
		return 0, err
	}
	step, ok, err := c.deps.Codes.Step(string(secret), code, c.deps.now(), last)
	if err == nil && !ok {
		err = wrongCode()
	}
	return step, err
}

func wrongCode() error {
	return core.Errorf(core.CodeInvalidCredentials, "the code is wrong or was already used")
}
