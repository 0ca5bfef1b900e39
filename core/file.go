package core

// FileEntry is one row of a project's file list.
type FileEntry struct {
	Path ProjectPath `json:"path"`
	// Size is in bytes.
	Size      int64 `json:"size"`
	UpdatedAt Time  `json:"updatedAt"`
	// ETag is the entity tag of the content as in the HTTP header, with its quotes.
	ETag string `json:"etag"`
}

// FileAt names a file or directory of a project.
type FileAt struct {
	Project ID
	Path    ProjectPath
}

// FileAction says what happened to a file.
type FileAction string

// The actions of file.changed events.
const (
	FileCreated  FileAction = "created"
	FileModified FileAction = "modified"
	FileDeleted  FileAction = "deleted"
	FileRenamed  FileAction = "renamed"
)

// FileOp is one operation of a bulk.
type FileOp string

// The operations of a bulk.
const (
	OpWrite  FileOp = "write"
	OpRename FileOp = "rename"
	OpDelete FileOp = "delete"
)

// FileChange is one change to a work tree. Write uses Path and Content, rename moves
// Path to To, delete removes Path with everything below it.
type FileChange struct {
	Op      FileOp
	Path    ProjectPath
	To      ProjectPath
	Content []byte
	// Executable says whether a written file is executable; nil keeps the current
	// setting, and makes a new file not executable.
	Executable *bool
}

// Match is one line that a search found. Line and Column count from 1, Column in
// bytes; Text is the line, cut at 500 characters.
type Match struct {
	Path   ProjectPath `json:"path"`
	Line   int         `json:"line"`
	Column int         `json:"column"`
	Text   string      `json:"text"`
}

// Diagnostic is a place in the sources that keeps a project from building. Line and
// Column count from 1; both are 0 if the diagnostic is about the whole file.
type Diagnostic struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}
