package core

// TaskState is how far a task has come, as it is stored. What the agent does at the moment is
// not stored: its chat knows it.
type TaskState string

// The states of a task.
const (
	// TaskStarting: the copy is made, but the message has not been sent yet.
	TaskStarting TaskState = "starting"
	// TaskOpen: people and the agent may work in the copy.
	TaskOpen TaskState = "open"
	// TaskMerging: a process merges the copy into the project.
	TaskMerging TaskState = "merging"
	// TaskMerged: the project has the copy's changes.
	TaskMerged TaskState = "merged"
)

// MaxTaskTitleChars bounds the title of a task.
const MaxTaskTitleChars = 100

// Task is work on a copy of a project, which is merged into the project when it is done.
type Task struct {
	ID        ID
	ProjectID ID
	// CopyID is the copy. Once the copy is removed, there is no such project.
	CopyID ID
	// ChatID is a chat of the copy. After the merge, the project has a copy of it whose id is the
	// task's.
	ChatID ID
	Title  string
	State  TaskState
	// Text, Mode and Model are the message's that the task began with.
	Text  string
	Mode  string
	Model string
	// Base is the version of the copy that has the project's files, before any of the task's
	// changes.
	Base string
	// Work is the version of the copy with the task's changes while the copy gets a new base, ""
	// otherwise.
	Work string
	// Resolving says that the task is merged when the agent's run in the copy is over.
	Resolving bool
	// By is the person in whose name the task is merged.
	By ID
	// Conflicts are the places that the last merge met. With one, it changed nothing.
	Conflicts []MergeConflict
	// Problem says why the last merge failed, if not for conflicts.
	Problem string
	// VersionID is the version that the merge made, "" if there was nothing to merge.
	VersionID string
	// Checks is the outcome of the checks. In an open task those that failed held the last merge
	// back.
	Checks TaskChecks
	// DueAt is when a worker must look at the task, 0 for never. While a process works on the task,
	// it is the end of its lease.
	DueAt     Time
	CreatedBy ID
	CreatedAt Time
	UpdatedAt Time
}

// MergeConflict is a file that both sides of a merge changed differently.
type MergeConflict struct {
	Path string `json:"path"`
	// Message says what happened on both sides.
	Message string `json:"message"`
}

// TaskChecksState says what became of a project's checks in a merge.
type TaskChecksState string

// The states of the checks in a merge.
const (
	ChecksNone        TaskChecksState = ""
	ChecksPending     TaskChecksState = "pending"
	ChecksPassed      TaskChecksState = "passed"
	ChecksFailed      TaskChecksState = "failed"
	ChecksUnavailable TaskChecksState = "unavailable"
)

// TaskChecks is the outcome of a project's checks in the merge of a task.
type TaskChecks struct {
	State TaskChecksState `json:"state"`
	// Ignored says that a person wanted the merge whatever the checks say.
	Ignored bool `json:"ignored,omitempty"`
	// Passed are the names of the checks that had passed before the merge.
	Passed []string          `json:"passed,omitempty"`
	Failed []TaskCheckFailed `json:"failed,omitempty"`
}

// TaskCheckFailed is a check that fails with what a task changed.
type TaskCheckFailed struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Message string `json:"message"`
	// PassedBefore says that the check had passed before the merge.
	PassedBefore bool `json:"passedBefore"`
}
