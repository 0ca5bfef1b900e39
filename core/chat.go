package core

import (
	"strings"
	"unicode/utf8"
)

// The built-in modes of a chat. Any other mode is one that the workspace defined, or
// else has the tools of ModeBuild.
const (
	ModeBuild = "build"
	ModePlan  = "plan"
	ModeChat  = "chat"
)

// Limits of chats and messages.
const (
	MaxModeChars      = 50
	MaxChatTitleChars = 200
	MaxMessageChars   = 100_000
)

// Chat is one conversation with the agent about a project.
type Chat struct {
	ID        ID     `json:"id"`
	ProjectID ID     `json:"projectId"`
	Title     string `json:"title"`
	Mode      string `json:"mode"`
	IsDefault bool   `json:"isDefault"`
	// Running is derived: a run of this chat is queued or running.
	Running   bool `json:"running"`
	CreatedAt Time `json:"createdAt"`
	UpdatedAt Time `json:"updatedAt"`

	// Plan is the agent's last plan in this chat, nil if there is none.
	Plan *Plan `json:"-"`
	// Summary replaces the oldest part of the log in the prompt.
	Summary *Summary `json:"-"`
	// TokensPerByte is the number of tokens per byte of this chat that runs measured
	// for models, by chat.Choice.Source. It is nil if no model but the demo has
	// answered in this chat.
	TokensPerByte map[string]float64 `json:"-"`
	// Briefing is the agent's knowledge of the project, nil before the first run.
	Briefing *Briefing `json:"-"`
}

// Briefing holds, in sections, the text that the model of a chat got beside the person's words. What it
// was told with a message stays there, word for word, so that vendors find the beginning of the
// conversation in their caches.
type Briefing struct {
	// Sections are the model's present knowledge.
	Sections []BriefingSection `json:"sections"`
	// Base is the part of the system prompt: what the model knew when the conversation was last
	// compacted.
	Base string `json:"base,omitempty"`
	// Said is the text that went to the model since, with messages of the person.
	Said []BriefingSaid `json:"said,omitempty"`
	// Hints are the agent's own words to the model in the middle of runs, the oldest first.
	Hints []BriefingHint `json:"hints,omitempty"`
}

// BriefingHint has the agent's words to the model after so many answers to the user.message of this
// seq; after none, it is a part of the message.
type BriefingHint struct {
	Seq     int64  `json:"seq"`
	Answers int    `json:"answers"`
	Text    string `json:"text"`
}

// BriefingSection is one fact. Digest identifies all of it, Text is as much as there was room for.
type BriefingSection struct {
	Name   string `json:"name"`
	Text   string `json:"text"`
	Digest string `json:"digest"`
}

// BriefingSaid is the text that went to the model with the user.message of this seq.
type BriefingSaid struct {
	Seq  int64  `json:"seq"`
	Text string `json:"text"`
}

// Summary is the summary of a chat's log up to an event, made because the log no
// longer fitted into the model's window.
type Summary struct {
	Through int64  `json:"through"`
	Text    string `json:"text"`
}

// CheckMessage returns CodeValidationFailed unless a message has 1 to 100,000
// characters.
func CheckMessage(text string) error {
	n := utf8.RuneCountInString(text)
	if strings.TrimSpace(text) == "" || n > MaxMessageChars || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return Errorf(CodeValidationFailed, "text must have 1 to %d characters", MaxMessageChars)
	}
	return nil
}

// RunStatus is the status of a run.
type RunStatus string

// The states of a run. Only a queued or a running run keeps its chat busy.
const (
	// RunHeld: the message waits for something else, such as the copy of a task.
	RunHeld    RunStatus = "held"
	RunQueued  RunStatus = "queued"
	RunRunning RunStatus = "running"
	RunEnded   RunStatus = "ended"
)

// Run is the agent's work on one message. Its row is written before the work begins,
// so that a run survives the process: a queued run is durable work, and a running one
// with an expired lease was interrupted by a crash.
type Run struct {
	ID          ID
	ChatID      ID
	ProjectID   ID
	WorkspaceID ID
	UserID      ID
	Status      RunStatus
	Text        string
	// Said is the rest of the message, until the chat's log has it.
	Said MessageContext
	// Attachments are those of the message, in order.
	Attachments []Attachment
	// Model is the model that the message asked for: "", a model, or
	// <providerId>/<model>.
	Model string
	// Thinking is how much the model shall think, "" as the chat's mode or the model has it.
	Thinking Thinking
	// OwnProvider says that the run uses the sender's own AI subscription; Model is
	// then one of that.
	OwnProvider bool
	// Detached runs outlive the connection that started them.
	Detached bool
	// VersionID is the version that it made, "" without one.
	VersionID string
	// StopRequested asks the process that runs it to end it.
	StopRequested bool
	// Owner names the process that runs it; LeaseUntil is when its lease expires
	// unless the process renews it.
	Owner      string
	LeaseUntil Time
	// Mode is the chat's mode when the run began.
	Mode string
	// Intent is the write-ahead note of what the current tool call is about to
	// change, or the last one changed.
	Intent *Intent
	// Changed are the paths that the run has changed so far, each with everything
	// below it; its version contains nothing else.
	Changed []ProjectPath
	// Resumes counts how often the run was resumed after a crash without progress.
	// ResumedAt is the seq of the log's last event at the last time.
	Resumes   int
	ResumedAt int64
	// Spent is the cost of the run's model calls so far, in USD.
	Spent float64
	// CreditHeld is the amount that the run's current model call may spend, in USD.
	// It counts against the workspace's credit only while the run is running, so the
	// end of the run releases it.
	CreditHeld float64
	// Payer is the person who is charged for the current model call besides the
	// sender, "" if the call does not use the platform's provider.
	Payer     ID
	CreatedAt Time
	EndedAt   *Time
}

// MessageContext is the part of a message beside its text and its images.
type MessageContext struct {
	// Command is the name of the command that the text begins with, "" for none.
	Command string `json:"command,omitempty"`
	// Prompt goes to the model in place of the text; it is "" if that does not differ.
	Prompt string `json:"prompt,omitempty"`
	// References are the files and elements that the message is about.
	References []Reference `json:"references,omitempty"`
}

// Resumable reports whether the run is resumed if its process dies. A run that a
// client waits for ends instead, because the client's connection is lost as well.
func (r Run) Resumable() bool { return r.Detached && !r.StopRequested }

// maxWishChars bounds a wish, in characters.
const maxWishChars = 120

// Wish is what its message asks for: the first line, shortened. It is empty for a message of images alone.
func (r Run) Wish() string {
	line, _, _ := strings.Cut(strings.TrimSpace(r.Text), "\n")
	return ShortenChars(strings.Join(strings.Fields(line), " "), maxWishChars)
}

// Intent is the write-ahead note that is stored before a tool call of the agent
// changes a file, so that a process that resumes the run can tell whether it did.
type Intent struct {
	// CallID is that of the call. Without an Op, all that is known is that it began.
	CallID string `json:"callId"`
	Op     FileOp `json:"op"`
	Path   string `json:"path"`
	// To is the new path of a rename.
	To string `json:"to,omitempty"`
	// Hash is the SHA-256 of the content of a write, in hexadecimal.
	Hash string `json:"hash,omitempty"`
	// Creates says that a write creates the file.
	Creates bool `json:"creates,omitempty"`
}

// Shown returns the path of the file after the change.
func (i Intent) Shown() string {
	if i.Op == OpRename {
		return i.To
	}
	return i.Path
}

// Busy reports whether the run keeps its chat from taking another message.
func (r Run) Busy() bool { return r.Status == RunQueued || r.Status == RunRunning }
