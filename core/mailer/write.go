package mailer

import (
	"cmp"
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/mail"
)

// ResetLifetime is how long the link of a password reset works, from when its
// mail is sent.
const ResetLifetime = time.Hour

// Within limitWindow, one process sends a person at most maxResets mails about a
// new password, and an address at most maxInvites invitations.
const (
	maxResets   = 5
	maxInvites  = 10
	limitWindow = time.Hour
)

// write makes the message of a letter; wanted is false if it must not be sent.
func (w *Worker) write(ctx context.Context, id core.ID, content letter) (message mail.Message, wanted bool, err error) {
	switch {
	case content.Kind == letterInvite && content.Invitation != nil:
		return w.writeInvite(ctx, id, *content.Invitation)
	case content.Kind == letterInstanceInvite && content.Invitation != nil:
		return w.writeInstanceInvite(ctx, id, *content.Invitation)
	case content.Kind == letterPasswordReset:
		return w.writeReset(ctx, id, content.To, content.Language)
	case content.Kind == letterApplication && content.Application != nil:
		message, err := applicationMail(id, w.Origin, *content.Application)
		return message, err == nil, err
	case content.Kind == letterProof && content.Proof != nil:
		return w.writeProof(ctx, id, content.To, *content.Proof)
	case content.Kind == letterNotice && content.Notice != nil:
		message, err := noticeMail(id, w.Origin, content.Language, content.To, *content.Notice)
		return message, err == nil, err
	case content.Kind == letterWebhook && content.Webhook != nil:
		message, err := webhookMail(id, w.Origin, content.Language, content.To, *content.Webhook)
		return message, err == nil, err
	case content.Kind == letterComment && content.Comment != nil:
		message, err := commentMail(id, w.Origin, content.Language, content.To, *content.Comment)
		return message, err == nil, err
	}
	return mail.Message{}, false, core.Errorf(core.CodeValidationFailed, "there is no mail of the kind %q", content.Kind)
}

// writeInvite writes an invitation, unless it was withdrawn or replaced since, or
// would flood the address.
func (w *Worker) writeInvite(ctx context.Context, id core.ID, invitation Invitation) (mail.Message, bool, error) {
	_, err := w.Store.Tables().Invites.ByHash(ctx, core.HashSecret(invitation.Token))
	if core.IsCode(err, core.CodeNotFound) {
		return mail.Message{}, false, nil
	}
	if err != nil {
		return mail.Message{}, false, err
	}
	if !w.invites.take(invitation.To, id) {
		return mail.Message{}, false, nil
	}
	message, err := inviteMail(id, w.Origin, invitation)
	return message, true, err
}

// writeInstanceInvite is writeInvite for an invitation to the installation.
func (w *Worker) writeInstanceInvite(ctx context.Context, id core.ID, invitation Invitation) (mail.Message, bool, error) {
	_, err := w.Store.Tables().InstanceInvites.ByHash(ctx, core.HashSecret(invitation.Token))
	if core.IsCode(err, core.CodeNotFound) || err == nil && !w.invites.take(invitation.To, id) {
		return mail.Message{}, false, nil
	}
	if err != nil {
		return mail.Message{}, false, err
	}
	message, err := instanceInviteMail(id, w.Origin, invitation)
	return message, true, err
}

// writeReset makes a fresh ticket, whose secret only the mail has. Earlier tickets
// stay valid, because a mail that counts as not sent may have arrived nevertheless.
func (w *Worker) writeReset(ctx context.Context, id core.ID, to string, asked core.Language) (mail.Message, bool, error) {
	tables := w.Store.Tables()
	user, err := tables.Users.ByEmail(ctx, to)
	if core.IsCode(err, core.CodeNotFound) || err == nil && !w.resets.take(string(user.ID), id) {
		return mail.Message{}, false, nil
	}
	if err != nil {
		return mail.Message{}, false, err
	}
	token := core.NewSecret()
	err = tables.Tickets.Create(ctx, core.Ticket{
		Kind: core.TicketPasswordReset, Hash: core.HashSecret(token), UserID: user.ID,
		ExpiresAt: core.At(w.Now()).Add(ResetLifetime),
	})
	if core.IsCode(err, core.CodeNotFound) { // the account went in between
		return mail.Message{}, false, nil
	}
	if err != nil {
		return mail.Message{}, false, err
	}
	message, err := passwordResetMail(id, w.Origin, cmp.Or(user.Language, asked), to, token)
	return message, true, err
}
