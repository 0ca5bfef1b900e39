package core

// NoticeKind discriminates the notices to followers of a project.
type NoticeKind string

// The kinds of notices.
const (
	// NoticeFiles: files changed; Files says which. Without Files, another input of a
	// build changed.
	NoticeFiles NoticeKind = "files"
	// NoticeChatEvent: Event was appended to the log of ChatID.
	NoticeChatEvent NoticeKind = "chat.event"
	// NoticeRunStop asks the process that runs RunID to end it.
	NoticeRunStop NoticeKind = "run.stop"
	// NoticePreview: Preview is the new state of the preview. Without Preview it asks
	// the process with the preview to report the state.
	NoticePreview NoticeKind = "preview"
	// NoticeProject: the project's record changed.
	NoticeProject NoticeKind = "project"
	// NoticeTasks: the tasks of the project changed, or what the agent does in one of them.
	NoticeTasks NoticeKind = "tasks"
	// NoticeComments: the comments on the project's pages changed.
	NoticeComments NoticeKind = "comments"
	// NoticeData: records of the backend's environment Data changed.
	NoticeData NoticeKind = "data"
	// NoticeLagged replaces notices that a slow follower missed: it must read again
	// what it follows.
	NoticeLagged NoticeKind = "lagged"
)

// Notice tells the followers of a project that something happened. It is never the
// only copy of anything: a follower that misses one can read storage.
type Notice struct {
	Kind      NoticeKind
	ProjectID ID
	// By is the author of the change.
	By     Author
	Files  []FileNotice
	ChatID ID
	Event  *Event
	RunID  ID
	// Preview is the state of the preview.
	Preview *PreviewState
	// Data is the environment whose records changed.
	Data DataEnv
}

// PreviewState is the state of a project's preview. Status is that of GET
// /projects/:id/preview.
type PreviewState struct {
	Status      string       `json:"status"`
	Progress    string       `json:"progress,omitempty"`
	Diagnostics []Diagnostic `json:"diagnostics"`
	Warnings    []Diagnostic `json:"warnings,omitempty"`
}

// FileNotice is one change to a file. Entry is nil if the file was deleted; From is
// set if it was renamed. A deleted directory is one notice for the directory.
type FileNotice struct {
	Action FileAction
	Path   ProjectPath
	From   *ProjectPath
	Entry  *FileEntry
}
