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
	// CreditHeld is in USD: what the run's model call under way may spend. It counts
	// against the workspace's credit while the run is running, so whatever ends a run
	// gives it back.
	CreditHeld float64
	CreatedAt  Time
	EndedAt    *Time
}

// Busy reports whether the run keeps its chat from taking another message.
func (r Run) Busy() bool { return r.Status == RunQueued || r.Status == RunRunning }
