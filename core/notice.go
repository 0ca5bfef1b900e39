package core

// NoticeKind discriminates what followers of a project are told.
type NoticeKind string

// The kinds of notices.
const (
	// NoticeFiles: files changed; Files says which. Without Files, something else
	// changed that a build is made of.
	NoticeFiles NoticeKind = "files"
	// NoticeChatEvent: Event was appended to the log of ChatID.
	NoticeChatEvent NoticeKind = "chat.event"
	// NoticeRunStop: the process that runs RunID shall end it.
	NoticeRunStop NoticeKind = "run.stop"
	// NoticePreview: the preview is now as Preview says. Without Preview it asks whoever
	// has the preview to say so.
	NoticePreview NoticeKind = "preview"
	// NoticeProject: the project's record changed.
	NoticeProject NoticeKind = "project"
	// NoticeLagged stands for notices that a slow follower missed: it must read
	// again what it follows.
	NoticeLagged NoticeKind = "lagged"
)

// Notice tells the followers of a project that something happened. It is never
// the only copy of anything: whoever misses one can read the rest from storage.
type Notice struct {
	Kind      NoticeKind
	ProjectID ID
	// By made the change.
	By     Author
	Files  []FileNotice
	ChatID ID
	Event  *Event
	RunID  ID
	// Preview is how the preview is.
	Preview *PreviewState
}

// PreviewState is what followers of a project are told of its preview. Status is that
// of GET /projects/:id/preview (contract, section 4).
type PreviewState struct {
	Status      string       `json:"status"`
	Progress    string       `json:"progress,omitempty"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// FileNotice is one change to a file. Entry is nil when the file is gone; From is
// set when it was renamed. A deleted directory is one notice for the directory.
type FileNotice struct {
	Action FileAction
	Path   ProjectPath
	From   *ProjectPath
	Entry  *FileEntry
}
