package mailer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/mail"
	"github.com/atelierhq/atelier/ports/storage"
)

// ProofLifetime is how long the link that proves an address works, from when its mail is
// sent.
const ProofLifetime = 24 * time.Hour

// Mails about accounts per day (UTC): links that prove an address, to one address, and
// notices of one kind to one person.
const (
	MaxDailyProofs  = 5
	MaxDailyNotices = 10
)

// Proof is a mail whose link proves that its reader holds an address. Its ticket is made
// when the mail is sent, so that the mail has the only copy of the secret.
type Proof struct {
	// Kind is core.TicketVerifyEmail for the account's own address, and
	// core.TicketChangeEmail for the address that is to replace it.
	Kind core.TicketKind `json:"kind"`
	User core.ID         `json:"user"`
	// Version is the user's credential version when the mail was asked for. The mail is
	// not sent once it has changed.
	Version int `json:"version"`
}

// Prove stores the mail of a proof to an address in the caller's transaction, and counts
// it: beyond the limit of the day it returns core.CodeRateLimited, with the time until the
// next. email is a normal address (core.NormalEmail).
func (q *Queue) Prove(ctx context.Context, tables storage.Tables, email string, proof Proof) error {
	address := sha256.Sum256([]byte(email))
	if err := q.count(ctx, tables, "proof to "+hex.EncodeToString(address[:]), MaxDailyProofs, "an address gets at most %d of these mails a day"); err != nil {
		return err
	}
	return q.store(ctx, tables, letter{Kind: letterProof, To: email, Proof: &proof})
}

// NoticeKind says what happened to an account.
type NoticeKind string

// The kinds of notices.
const (
	NoticeSignIn          NoticeKind = "sign_in"
	NoticePasswordChanged NoticeKind = "password_changed"
	NoticeTokenCreated    NoticeKind = "token_created"
	// NoticeProgramConnected is for a program that a person lets act for them.
	NoticeProgramConnected NoticeKind = "program_connected"
	NoticeEmailChanging    NoticeKind = "email_changing"
	NoticeEmailChanged     NoticeKind = "email_changed"
	NoticeAccountDeleted   NoticeKind = "account_deleted"
	// NoticeAccountRemoved is for an account that an admin deleted.
	NoticeAccountRemoved NoticeKind = "account_removed"
	// NoticeSiteTakenDown and NoticeSiteLifted are about a published site that an admin took down.
	NoticeSiteTakenDown NoticeKind = "site_taken_down"
	NoticeSiteLifted    NoticeKind = "site_lifted"

	NoticeFactorOn         NoticeKind = "mfa_on"
	NoticeFactorOff        NoticeKind = "mfa_off"
	NoticeFactorReset      NoticeKind = "mfa_reset"
	NoticeRecoveryCodes    NoticeKind = "recovery_codes"
	NoticeRecoveryCodeUsed NoticeKind = "recovery_code_used"
	// NoticeAppRemoved is for people who still have passkeys.
	NoticeAppRemoved     NoticeKind = "app_removed"
	NoticePasskeyAdded   NoticeKind = "passkey_added"
	NoticePasskeyRemoved NoticeKind = "passkey_removed"
)

func noticeKinds() []NoticeKind {
	return []NoticeKind{
		NoticeSignIn, NoticePasswordChanged, NoticeTokenCreated, NoticeProgramConnected, NoticeEmailChanging, NoticeEmailChanged, NoticeAccountDeleted, NoticeAccountRemoved,
		NoticeSiteTakenDown, NoticeSiteLifted,
		NoticeFactorOn, NoticeFactorOff, NoticeFactorReset, NoticeRecoveryCodes, NoticeRecoveryCodeUsed,
		NoticeAppRemoved, NoticePasskeyAdded, NoticePasskeyRemoved,
	}
}

// Notice tells a person what happened to their account, in case it was somebody else.
type Notice struct {
	Kind NoticeKind `json:"kind"`
	// Device and Address are the program and the network address of the call, Name is the
	// name of an API token or a program. Callers choose these texts, so the mail leaves out what could be
	// read as a link.
	Device, Address, Name string
	// Site is the address of a site, and Reason an admin's words about it.
	Site, Reason string
	At           core.Time
}

// Notify stores a notice to a user in the caller's transaction. Nobody is written to who
// has not proven the address, because it may belong to a stranger. Beyond the limit of the
// day notices are left out without an error: they never hinder what they tell of.
func (q *Queue) Notify(ctx context.Context, tables storage.Tables, user core.User, notice Notice) error {
	if !user.EmailVerified {
		return nil
	}
	err := q.count(ctx, tables, "notice "+string(notice.Kind)+" "+string(user.ID), MaxDailyNotices, "a person gets at most %d of these mails a day")
	if core.IsCode(err, core.CodeRateLimited) {
		return nil
	}
	if err != nil {
		return err
	}
	notice.At = core.At(q.now())
	return q.store(ctx, tables, letter{Kind: letterNotice, To: user.Email, Language: user.Language, Notice: &notice})
}

// writeProof makes a fresh ticket, as writeReset does, unless the mail has lost its object:
// the account went or is verified, or its credentials or its address changed.
func (w *Worker) writeProof(ctx context.Context, id core.ID, to string, proof Proof) (mail.Message, bool, error) {
	tables := w.Store.Tables()
	user, err := tables.Users.ByID(ctx, proof.User)
	if core.IsCode(err, core.CodeNotFound) {
		return mail.Message{}, false, nil
	}
	if err != nil {
		return mail.Message{}, false, err
	}
	change := proof.Kind == core.TicketChangeEmail
	if user.CredentialVersion != proof.Version || !change && (user.EmailVerified || user.Email != to) {
		return mail.Message{}, false, nil
	}
	if change {
		// An address in use gets no mail: the caller learns nothing from that.
		_, err := tables.Users.ByEmail(ctx, to)
		if !core.IsCode(err, core.CodeNotFound) {
			return mail.Message{}, false, err
		}
	}
	token := core.NewSecret()
	err = tables.Tickets.Create(ctx, core.Ticket{
		Kind: proof.Kind, Hash: core.HashSecret(token), UserID: user.ID, Address: to, ExpiresAt: core.At(w.Now()).Add(ProofLifetime),
	})
	if core.IsCode(err, core.CodeNotFound) {
		return mail.Message{}, false, nil
	}
	if err != nil {
		return mail.Message{}, false, err
	}
	message, err := proofMail(id, w.Origin, user.Language, to, proof.Kind, token)
	return message, true, err
}

// proofMail writes the mail with the link that proves an address.
func proofMail(id core.ID, origin Origin, language core.Language, to string, kind core.TicketKind, token string) (mail.Message, error) {
	notice := NoticeKind("")
	if kind == core.TicketChangeEmail {
		notice = NoticeEmailChanging
	}
	return compose(id, language, letterProof, words{
		To: to, Notice: notice, Link: string(origin) + "/verify-email?token=" + url.QueryEscape(token),
	})
}

// noticeMail writes a notice.
func noticeMail(id core.ID, origin Origin, language core.Language, to string, notice Notice) (mail.Message, error) {
	if !slices.Contains(noticeKinds(), notice.Kind) {
		return mail.Message{}, core.Errorf(core.CodeValidationFailed, "there is no notice of the kind %q", notice.Kind)
	}
	link := string(origin) + "/settings/profile"
	if endsAddress(notice.Kind) {
		link = ""
	}
	return compose(id, language, letterNotice, words{
		To: to, Notice: notice.Kind, Link: link,
		Device: harmless(plainName(notice.Device)), Address: plainName(notice.Address), Name: harmless(plainName(notice.Name)),
		Site: notice.Site, Reason: harmless(plainName(notice.Reason)),
		At: notice.At.Std().UTC(),
	})
}

// endsAddress reports whether the address has no account any more after what a notice tells of, so
// that there is nothing to sign in to.
func endsAddress(kind NoticeKind) bool {
	return kind == NoticeSiteTakenDown || kind == NoticeSiteLifted || kind == NoticeEmailChanged || kind == NoticeAccountDeleted || kind == NoticeAccountRemoved
}
