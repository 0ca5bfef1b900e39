package chat

import (
	"cmp"
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/attachments"
	"github.com/atelierhq/atelier/ports/storage"
)

// Message is what a person sends to the agent.
type Message struct {
	ChatID core.ID
	Text   string
	// Mode is the mode to switch the chat to first; "" keeps the current one.
	Mode string
	// Model is "", a model, or <providerId>/<model>.
	Model string
	// OwnProvider spends the sender's own AI subscription instead of the workspace's
	// credit; Model is then "" or one of the subscription's.
	OwnProvider bool
	// Attachments are the sources of the message's images. Send clears the slice once
	// the images are stored, because the sender keeps the message as long as the run
	// lasts.
	Attachments []attachments.Source
	// Detach lets the run continue after the sender's connection is lost.
	Detach bool
}

// MaySend returns the codes of access for a caller who may not send messages to the
// agent of a project.
func (r *Runs) MaySend(ctx context.Context, by core.Actor, project core.ID) error {
	_, err := r.gate.Project(ctx, by, core.ActionChat, project)
	return err
}

// Send begins a run and streams its events to emit, from user.message to the last. If
// ctx ends before that, or emit fails, the run is cancelled unless the message is
// detached.
//
// Before the first event it returns core.CodeValidationFailed for the text, the codes
// of attachments.Loader for the images, core.CodeChatBusy while the chat has another
// active run, and the codes of access. Failures of the run itself are events, and so
// is the lack of a provider or a subscription.
func (r *Runs) Send(ctx context.Context, by core.Actor, project core.ID, message Message, emit func(core.Event) error) error {
	if err := core.CheckMessage(message.Text); err != nil {
		return err
	}
	images, err := r.load(ctx, by, project, message)
	if err != nil {
		return err
	}
	run := core.Run{
		ID: core.NewID(), ChatID: message.ChatID, ProjectID: project, UserID: by.UserID,
		Text: message.Text, Attachments: attachmentsOf(images), Mode: message.Mode, Model: message.Model,
		OwnProvider: message.OwnProvider, Detached: message.Detach, CreatedAt: core.At(r.now()),
	}
	opened, err := r.begin(ctx, by, run, images)
	if err != nil {
		return err
	}
	clear(message.Attachments)
	stream := &Follower{all: r.followers, by: by, project: project, chat: message.ChatID, last: opened.Seq - 1, oneRun: true}
	err = stream.Run(ctx, emit)
	if err != nil && !message.Detach {
		r.active.cancel(run.ID, errClientGone)
	}
	return err
}

// load fetches a message's images, which takes long and reaches other hosts: only for
// those who may write here. A message without images is asked about when it is stored.
func (r *Runs) load(ctx context.Context, by core.Actor, project core.ID, message Message) ([]core.Image, error) {
	if len(message.Attachments) == 0 {
		return nil, nil
	}
	if _, _, err := chatIn(ctx, r.store.Tables(), by, project, message.ChatID); err != nil {
		return nil, err
	}
	return r.attachments.Load(ctx, message.Attachments)
}

// begin stores a run of this process, with its images and its user.message, and starts
// it. Images may take long to arrive. So the transaction itself checks whether the
// caller may still write here, which workspace pays, and which mode applies to a
// message without one.
func (r *Runs) begin(ctx context.Context, by core.Actor, run core.Run, images []core.Image) (core.Event, error) {
	if r.life.ctx.Err() != nil {
		return core.Event{}, core.Errorf(core.CodeUnavailable, "the service is stopping: try again in a moment")
	}
	run.Status, run.Owner, run.LeaseUntil = core.RunRunning, r.leases.owner, r.leases.expiry()
	var opened []core.Event
	mode := run.Mode
	err := r.store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		project, chat, err := chatIn(ctx, tables, by, run.ProjectID, run.ChatID)
		if err != nil {
			return err
		}
		run.WorkspaceID, run.Mode = project.WorkspaceID, cmp.Or(mode, chat.Mode)
		if err := tables.Runs.Create(ctx, run); err != nil {
			return err
		}
		if err := storeImages(ctx, tables, run, images); err != nil {
			return err
		}
		_, err = tables.Chats.Update(ctx, run.ChatID, func(chat *core.Chat) error {
			chat.Mode = run.Mode
			return nil
		})
		if err != nil {
			return err
		}
		opened, err = tables.Events.Append(ctx, run.ChatID, run.CreatedAt, []core.Payload{userMessage(run)})
		return err
	})
	if err != nil {
		return core.Event{}, err
	}
	r.events.announce(ctx, run, opened)
	r.executor.start(run)
	return opened[0], nil
}

func userMessage(run core.Run) core.UserMessage {
	return core.UserMessage{Text: run.Text, Attachments: append([]core.Attachment{}, run.Attachments...), By: run.UserID}
}
