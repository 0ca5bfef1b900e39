package rooms

import (
	"encoding/json"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/projects"
)

// Event is sent to members that follow events. Its JSON form
// has the fields of its kind and a member "type", which EventType returns.
type Event interface{ EventType() string }

// Selection is a part of a text, counted in UTF-16 code units from its beginning.
type Selection struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Person is who a member is.
type Person struct {
	ID        core.ID `json:"id"`
	Name      string  `json:"name"`
	Color     string  `json:"color"`
	AvatarURL *string `json:"avatarUrl"`
}

// Peer is a client in the room and where its person is. Cursor is passed on as the
// client sent it.
type Peer struct {
	ClientID  uint64            `json:"clientId"`
	User      Person            `json:"user"`
	Path      *core.ProjectPath `json:"path,omitempty"`
	Cursor    json.RawMessage   `json:"cursor,omitempty"`
	Selection *Selection        `json:"selection,omitempty"`
}

// The events, one for each kind.
type (
	// Welcome is the first event of a member. Peers are the others.
	Welcome struct {
		ClientID uint64 `json:"clientId"`
		Peers    []Peer `json:"peers"`
	}
	// PresenceJoin says that a client came.
	PresenceJoin struct{ Peer }
	// PresenceUpdate says that a client's person has moved.
	PresenceUpdate struct{ Peer }
	// PresenceLeave says that a client left.
	PresenceLeave struct{ Peer }
	// FileChanged says that a file was written. Content is nil for a file that is
	// binary or larger than MaxSharedBytes.
	FileChanged struct {
		Path      core.ProjectPath `json:"path"`
		Content   *string          `json:"content"`
		Size      int64            `json:"size"`
		ETag      string           `json:"etag"`
		UpdatedAt core.Time        `json:"updatedAt"`
		By        core.Author      `json:"by"`
	}
	// FileDeleted says that a file was deleted, or a directory with everything in
	// it.
	FileDeleted struct {
		Path core.ProjectPath `json:"path"`
		By   core.Author      `json:"by"`
	}
	// FileRenamed says that a file has a new path.
	FileRenamed struct {
		From core.ProjectPath `json:"from"`
		To   core.ProjectPath `json:"to"`
		By   core.Author      `json:"by"`
	}
	// ChatEvent is an event of a chat of the project.
	ChatEvent struct {
		ChatID core.ID    `json:"chatId"`
		Event  core.Event `json:"event"`
	}
	// PreviewStatus is the state of the preview.
	PreviewStatus struct{ core.PreviewState }
	// ProjectUpdated has the project's current record.
	ProjectUpdated struct {
		Project projects.View `json:"project"`
	}
	// CommentsChanged says that the comments on the project's pages changed.
	CommentsChanged struct{}
	// TasksChanged says that the project's tasks, or what the agent does in one, changed.
	TasksChanged struct{}
	// DataChanged says that records of an environment of the backend changed; without an
	// environment, those of both may have.
	DataChanged struct {
		Environment core.DataEnv `json:"environment,omitempty"`
	}
	// Failure answers a message that could not be carried out.
	Failure struct {
		Error   core.Code `json:"error"`
		Message string    `json:"message"`
	}
	// Pong answers a ping.
	Pong struct{}
)

// EventType implements Event.
func (Welcome) EventType() string { return "welcome" }

// EventType implements Event.
func (PresenceJoin) EventType() string { return "presence.join" }

// EventType implements Event.
func (PresenceUpdate) EventType() string { return "presence.update" }

// EventType implements Event.
func (PresenceLeave) EventType() string { return "presence.leave" }

// EventType implements Event.
func (FileChanged) EventType() string { return "file.changed" }

// EventType implements Event.
func (FileDeleted) EventType() string { return "file.deleted" }

// EventType implements Event.
func (FileRenamed) EventType() string { return "file.renamed" }

// EventType implements Event.
func (ChatEvent) EventType() string { return "chat.event" }

// EventType implements Event.
func (PreviewStatus) EventType() string { return "preview.status" }

// EventType implements Event.
func (ProjectUpdated) EventType() string { return "project.updated" }

// EventType implements Event.
func (CommentsChanged) EventType() string { return "comments.changed" }

// EventType implements Event.
func (TasksChanged) EventType() string { return "tasks.changed" }

// EventType implements Event.
func (DataChanged) EventType() string { return "data.changed" }

// EventType implements Event.
func (Failure) EventType() string { return "error" }

// EventType implements Event.
func (Pong) EventType() string { return "pong" }
