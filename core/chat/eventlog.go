package chat

import (
	"context"
	"log/slog"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/telemetry"
	"github.com/atelierhq/atelier/ports/broadcast"
	"github.com/atelierhq/atelier/ports/storage"
)

// eventLog is the append-only logs of the chats. It announces events once they are stored,
// and reads them back as the conversation for the model.
type eventLog struct {
	store storage.Store
	bus   broadcast.Bus
	tally *telemetry.Tally
	log   *slog.Logger
}

// announce sends stored events to the followers. If the bus fails, followers only read
// them later.
func (l *eventLog) announce(ctx context.Context, run core.Run, events []core.Event) {
	l.count(events)
	defer l.announceTask(ctx, run, events)
	for i := range events {
		notice := core.Notice{Kind: core.NoticeChatEvent, ProjectID: run.ProjectID, ChatID: run.ChatID, RunID: run.ID, Event: &events[i]}
		if err := l.bus.Publish(ctx, notice); err != nil {
			l.log.WarnContext(ctx, "could not announce a chat event", "chat", run.ChatID, "error", err)
			return
		}
	}
}

// announceTask tells the followers of a project that the agent began or ended work in a working copy
// of it.
func (l *eventLog) announceTask(ctx context.Context, run core.Run, events []core.Event) {
	if !slices.ContainsFunc(events, func(event core.Event) bool { return isMessage(event) || event.Ends() }) {
		return
	}
	project, err := l.store.Tables().Projects.ByID(ctx, run.ProjectID)
	if err == nil && project.CopyOf != nil {
		err = l.bus.Publish(ctx, core.Notice{Kind: core.NoticeTasks, ProjectID: *project.CopyOf})
	}
	if err != nil && !core.IsCode(err, core.CodeNotFound) {
		l.log.WarnContext(ctx, "could not announce a task", "chat", run.ChatID, "error", err)
	}
}

// count adds the events that this process stored to the operators' metrics.
func (l *eventLog) count(events []core.Event) {
	for _, event := range events {
		switch of := event.Payload.(type) {
		case core.UsageInfo:
			l.tally.Add(telemetry.ModelCalls, "", 1)
			l.tally.Add(telemetry.Tokens, "input", float64(of.InputTokens))
			l.tally.Add(telemetry.Tokens, "cached", float64(of.CachedTokens))
			l.tally.Add(telemetry.Tokens, "output", float64(of.OutputTokens))
			l.tally.Add(telemetry.Cost, "", of.Cost)
		case core.TaskComplete:
			l.tally.Add(telemetry.Runs, string(of.Reason), 1)
		case core.SessionError:
			l.tally.Add(telemetry.Runs, string(of.Error), 1)
		}
	}
}

const (
	// historyLimit is how many events of a log are read at a time.
	historyLimit = 5000
	// historyBytes bounds the texts of the events from which a conversation is rebuilt.
	// It is more than the largest windows hold, and bounds a run's memory.
	historyBytes = 16 << 20
)

// history returns the newest historyBytes of a chat's log. If that is not all, that part
// begins with a message of the person, and the person's first message, which is the
// goal, comes before it.
func (l *eventLog) history(ctx context.Context, chat core.ID) ([]core.Event, error) {
	events := l.store.Tables().Events
	var newest []core.Event
	left := historyBytes
	for before := int64(0); ; before = newest[0].Seq {
		page, err := events.Read(ctx, chat, storage.EventRange{Before: before, Limit: historyLimit, Newest: true})
		if err != nil {
			return nil, err
		}
		from := len(page)
		for from > 0 && left > 0 {
			from--
			left -= sizeOf(page[from])
		}
		newest = append(page[from:len(page):len(page)], newest...)
		if from > 0 {
			break
		}
		if len(page) < historyLimit {
			return newest, nil
		}
	}
	begin := slices.IndexFunc(newest, isMessage)
	first, err := events.Read(ctx, chat, storage.EventRange{Limit: historyLimit})
	if err != nil {
		return nil, err
	}
	newest = newest[max(begin, 0):]
	if goal := slices.IndexFunc(first, isMessage); goal >= 0 && first[goal].Seq < newest[0].Seq {
		newest = append([]core.Event{first[goal]}, newest...)
	}
	return newest, nil
}

func isMessage(event core.Event) bool { return event.Payload.EventType() == core.EventUserMessage }

// eventBytes is the size of an event without its texts.
const eventBytes = 100

// sizeOf estimates the size of an event, in bytes.
func sizeOf(event core.Event) int {
	switch p := event.Payload.(type) {
	case core.UserMessage:
		return eventBytes + len(p.Text) + len(p.Prompt)
	case core.MessageDelta:
		return eventBytes + len(p.Delta)
	case core.ReasoningDelta:
		if p.Signed != nil {
			return eventBytes + len(p.Signed.Signature)
		}
		return eventBytes + len(p.Delta)
	case core.AssistantMessage:
		return eventBytes + len(p.Text)
	case core.ToolCall:
		return eventBytes + len(p.Args)
	case core.ToolResult:
		return eventBytes + len(p.Result)
	case core.ToolError:
		return eventBytes + len(p.Error)
	}
	return eventBytes
}
