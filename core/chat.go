package core

import (
	"strings"
	"unicode/utf8"
)

// The built-in modes of a chat. Any other mode is one that the workspace
// defined, or has the tools of ModeBuild.
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
	// Running is derived: a run of this chat is queued or under way.
	Running   bool `json:"running"`
	CreatedAt Time `json:"createdAt"`
	UpdatedAt Time `json:"updatedAt"`

	// Plan is the last that the agent made in this chat, nil until there is one.
	Plan *Plan `json:"-"`
	// Summary stands for the oldest part of the log in what the model is told.
	Summary *Summary `json:"-"`
	// TokensPerByte is what runs learnt of the vocabularies of models, by
	// chat.Choice.Source: how many tokens a byte of this chat has. nil says that no
	// model has answered in this chat, but for the demo.
	TokensPerByte map[string]float64 `json:"-"`
}

// Summary is what the part of a chat's log up to an event was summarised to, when
// it no longer fitted into the model's window.
type Summary struct {
	Through int64  `json:"through"`
	Text    string `json:"text"`
}

// CheckMessage holds a message to 1 to 100,000 characters.
func CheckMessage(text string) error {
	n := utf8.RuneCountInString(text)
	if strings.TrimSpace(text) == "" || n > MaxMessageChars || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return Errorf(CodeValidationFailed, "text must have 1 to %d characters", MaxMessageChars)
	}
	return nil
}

// RunStatus is where a run stands.
type RunStatus string

// The states of a run. Only a queued or a running run keeps its chat busy.
const (
	RunQueued  RunStatus = "queued"
	RunRunning RunStatus = "running"
	RunEnded   RunStatus = "ended"
)

// Run is the agent's work on one message. Its row is written before the work
// begins, so that a run survives the process: a queued run is durable work, a
// running one whose lease ran out was cut off by a crash.
type Run struct {
	ID          ID
	ChatID      ID
	ProjectID   ID
	WorkspaceID ID
	UserID      ID
	Status      RunStatus
	Text        string
	// Attachments are what the message had with it, in order.
	Attachments []Attachment
	// Model is what the message asked for: "", a model, or <providerId>/<model>.
	Model string
	// OwnProvider spends the sender's own AI subscription, and Model is one of its.
	OwnProvider bool
	// Detached runs outlive the connection that started them.
	Detached bool
	// StopRequested asks the process that runs it to end it.
	StopRequested bool
	// Owner names the process that runs it; LeaseUntil says until when without
	// word from it.
	Owner      string
	LeaseUntil Time
	// Mode is the chat's when the run began.
	Mode string
	// Intent is what the tool call under way is about to change, or the last did.
	Intent *Intent
	// Changed are the paths that the run has changed so far, each with all below it;
	// its version takes nothing else.
	Changed []ProjectPath
	// Resumes counts how often the run went on after a crash without having got any
	// further; ResumedAt is the seq of the log's last event when it last did.
	Resumes   int
	ResumedAt int64
	// Spent is in USD: what the run's model calls have cost so far.
	Spent float64
	// CreditHeld is in USD: what the run's model call under way may spend. It counts
	// against the workspace's credit while the run is running, so whatever ends a run
	// gives it back.
	CreditHeld float64
	// Payer is who is charged for the model call under way beside the sender, "" for
	// one that is not the platform's.
	Payer     ID
	CreatedAt Time
	EndedAt   *Time
}

// Resumable reports whether the run goes on when its process has died. A run that
// a client waits for ends instead, because the client is gone as well.
func (r Run) Resumable() bool { return r.Detached && !r.StopRequested }

// Intent is stored before a tool call of the agent changes a file, so that whoever
// resumes the run can tell whether it did.
type Intent struct {
	CallID string `json:"callId"`
	Op     FileOp `json:"op"`
	Path   string `json:"path"`
	// To is where a rename leads.
	To string `json:"to,omitempty"`
	// Hash is the SHA-256, in hexadecimal, of what a write writes.
	Hash string `json:"hash,omitempty"`
	// Creates says that a write makes a file that was not there.
	Creates bool `json:"creates,omitempty"`
}

// Shown is the path under which the file is found after the change.
func (i Intent) Shown() string {
	if i.Op == OpRename {
		return i.To
	}
	return i.Path
}

// Busy reports whether the run keeps its chat from taking another message.
func (r Run) Busy() bool { return r.Status == RunQueued || r.Status == RunRunning }
