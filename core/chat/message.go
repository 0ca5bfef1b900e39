package chat

import (
	"cmp"
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/attachments"
	"github.com/atelierhq/atelier/core/commands"
	"github.com/atelierhq/atelier/core/mentions"
	"github.com/atelierhq/atelier/ports/storage"
)

// Message is a person's message to the agent.
type Message struct {
	ChatID core.ID
	Text   string
	// Mode is the mode to switch the chat to first; "" keeps the current one.
	Mode string
	// Model is "", a model, or <providerId>/<model>.
	Model string
	// Thinking is how much the model thinks before each answer, where it can; "" leaves it to the
	// chat's mode, else to the model.
	Thinking core.Thinking
	// OwnProvider spends the sender's own AI subscription instead of the workspace's
	// credit; Model is then "" or one of the subscription's.
	OwnProvider bool
	// Attachments are the sources of the message's images. Send clears the slice once
	// the images are stored, because the sender keeps the message as long as the run
	// lasts.
	Attachments []attachments.Source
	// References are the files and elements that the message is about.
	References []core.Reference
	// Detach lets the run continue after the sender's connection is lost.
	Detach bool
	// approval is the answer to a request for the person's yes.
	approval *core.Approval
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
// of attachments.Loader for the images, those of mentions.Describe for the references, core.CodeChatBusy while the chat has another
// active run, core.CodeConflict while the workspace has as many as it may, and the codes of access. Failures of the run itself are events, and so
// is the lack of a provider or a subscription.
func (r *Runs) Send(ctx context.Context, by core.Actor, project core.ID, message Message, emit func(core.Event) error) error {
	if err := core.CheckMessage(message.Text); err != nil {
		return err
	}
	run := core.Run{
		ID: core.NewID(), ChatID: message.ChatID, ProjectID: project, UserID: by.UserID,
		Text: message.Text, Mode: message.Mode, Model: message.Model, Thinking: message.Thinking,
		OwnProvider: message.OwnProvider, Detached: message.Detach,
	}
	images, about, err := r.enclosures(ctx, by, run, message)
	if err != nil {
		return err
	}
	run.Attachments, run.CreatedAt = attachments.Describe(images), core.At(r.now())
	said := messageContext{by: by, references: message.References, about: about, approval: message.approval}
	opened, err := r.begin(ctx, said, run, images)
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

// enclosures fetches a message's images and describes its references for the model, which
// takes long and reaches other hosts: only for those who may write here. A message without
// either is asked about when it is stored.
func (r *Runs) enclosures(ctx context.Context, by core.Actor, run core.Run, message Message) ([]core.Image, string, error) {
	if len(message.Attachments) == 0 && len(message.References) == 0 {
		return nil, "", nil
	}
	if _, _, err := chatIn(ctx, r.store.Tables(), by, run.ProjectID, run.ChatID); err != nil {
		return nil, "", err
	}
	images, err := r.attachments.Load(ctx, message.Attachments)
	if err != nil || len(message.References) == 0 {
		return images, "", err
	}
	about, err := mentions.Describe(ctx, r.executor.projects.Open(run), message.References)
	return images, about, err
}

// messageContext is a message beyond what its run keeps: who sends it, what it refers to, what the model
// is told about that, and which request it answers.
type messageContext struct {
	by         core.Actor
	references []core.Reference
	about      string
	approval   *core.Approval
}

// begin stores a run of this process, with its images and its user.message, and starts
// it. Images may take long to arrive. So the transaction itself checks whether the
// caller may still write here, which workspace pays, and which mode applies to a
// message without one.
func (r *Runs) begin(ctx context.Context, said messageContext, run core.Run, images []core.Image) (core.Event, error) {
	if r.life.ctx.Err() != nil {
		return core.Event{}, core.Errorf(core.CodeUnavailable, "the service is stopping: try again in a moment")
	}
	run.Status, run.Owner, run.LeaseUntil = core.RunRunning, r.leases.owner, r.leases.expiry()
	var opened []core.Event
	mode := run.Mode
	err := r.store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		project, chat, err := chatIn(ctx, tables, said.by, run.ProjectID, run.ChatID)
		if err != nil {
			return err
		}
		run.WorkspaceID = project.WorkspaceID
		if err := checkRuns(ctx, tables, r.chats.quotas, run.WorkspaceID, 0); err != nil {
			return err
		}
		meant, err := commands.Apply(ctx, tables, &run, said.references, said.about)
		if err != nil {
			return err
		}
		stays, payload := cmp.Or(mode, chat.Mode), userMessage(run)
		payload.Approval = said.approval
		// The log has it.
		run.Said = core.MessageContext{}
		if err := checkWaits(ctx, tables, run.ChatID, said.approval); err != nil {
			return err
		}
		if run.Mode, err = modeFor(ctx, tables, run, meant, stays); err != nil {
			return err
		}
		if err := tables.Runs.Create(ctx, run); err != nil {
			return err
		}
		if err := attachments.Store(ctx, tables, run, images); err != nil {
			return err
		}
		_, err = tables.Chats.Update(ctx, run.ChatID, func(chat *core.Chat) error {
			chat.Mode = stays
			return nil
		})
		if err != nil {
			return err
		}
		opened, err = tables.Events.Append(ctx, run.ChatID, run.CreatedAt, []core.Payload{payload})
		return err
	})
	if err != nil {
		return core.Event{}, err
	}
	r.events.announce(ctx, run, opened)
	r.executor.start(run)
	return opened[0], nil
}

// modeFor returns the mode of one message, in a chat whose mode is stays. The answer to a question
// is worked on in the mode that asked.
func modeFor(ctx context.Context, tables storage.Tables, run core.Run, meant commands.Expansion, stays string) (string, error) {
	if meant.Name != "" || run.Mode != "" {
		return meant.In(stays), nil
	}
	last, err := tables.Events.Read(ctx, run.ChatID, storage.EventRange{Limit: 1, Newest: true})
	if err != nil || len(last) == 0 {
		return stays, err
	}
	if end, ended := last[0].Payload.(core.TaskComplete); ended && end.Reason == core.ReasonAsked {
		return cmp.Or(end.Mode, stays), nil
	}
	return stays, nil
}

// userMessage is a run's message as the chat's log has it.
func userMessage(run core.Run) core.UserMessage {
	return core.UserMessage{
		Text: run.Text, Attachments: append([]core.Attachment{}, run.Attachments...), By: run.UserID,
		Command: run.Said.Command, References: run.Said.References, Prompt: run.Said.Prompt,
	}
}

// ApprovalAnswer is a person's answer to an approval.request of a chat.
type ApprovalAnswer struct {
	ChatID core.ID
	core.Approval
	// Detach lets the run continue after the sender's connection is lost.
	Detach bool
}

// Approve answers the request with which a chat's last run ended, and has the agent go on: with a yes,
// by exactly the call that waited. It streams as Send does. It returns core.CodeConflict if the request
// does not wait any more, and the codes of access: an API token may not say yes for a person.
func (r *Runs) Approve(ctx context.Context, by core.Actor, project core.ID, answer ApprovalAnswer, emit func(core.Event) error) error {
	if _, err := r.gate.Project(ctx, by, core.ActionApprove, project); err != nil {
		return err
	}
	text := refusedText
	if answer.Allow {
		text = allowedText
	}
	message := Message{ChatID: answer.ChatID, Text: text, Detach: answer.Detach, approval: &answer.Approval}
	return r.Send(ctx, by, project, message, emit)
}

// What the person's answer says in the chat.
const (
	allowedText = "Yes, make this call."
	refusedText = "No, do not make this call. Go on without it."
)

// checkWaits returns core.CodeConflict unless the request that an answer is about is the chat's last word.
func checkWaits(ctx context.Context, tables storage.Tables, chat core.ID, answer *core.Approval) error {
	if answer == nil {
		return nil
	}
	last, err := tables.Events.Read(ctx, chat, storage.EventRange{Limit: 1, Newest: true})
	if err != nil {
		return err
	}
	if len(last) == 1 {
		if end, ended := last[0].Payload.(core.TaskComplete); ended && end.Approval != "" && end.Approval == answer.ID {
			return nil
		}
	}
	return core.Errorf(core.CodeConflict, "id: this request does not wait for an answer any more: look at the newest messages of the chat")
}
