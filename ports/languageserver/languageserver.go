// Package languageserver is the port to the language server that helps people who edit a
// project's TypeScript and JavaScript: completions, types, definitions, errors, formatting.
//
// A server runs isolated: it reads only the files of one project and of its packages, writes
// nothing, and has no network. Texts and names that it returns come from the project, so they are
// untrusted.
package languageserver

import (
	"context"
	"path"
	"time"

	"github.com/atelierhq/atelier/core"
)

// Limits of one server.
const (
	// MaxTime is how long one answer may take. A server that takes longer is ended.
	MaxTime = 20 * time.Second
	// MaxMemoryBytes is how much memory it may use.
	MaxMemoryBytes = 1 << 30
	// MaxAnswerBytes bounds one answer of the server, in bytes of its protocol.
	MaxAnswerBytes = 16 << 20
	// MaxTextBytes is the longest text of a document, in bytes.
	MaxTextBytes = 1 << 19
	// MaxCompletions and MaxFindings are how many entries one answer has.
	MaxCompletions = 5000
	MaxFindings    = 100
	// MaxLocations is how many definitions one name has.
	MaxLocations = 50
	// MaxMessageBytes is the longest message or signature, MaxDocumentationBytes the longest
	// documentation, in bytes of UTF-8; longer ones are cut.
	MaxMessageBytes       = 2000
	MaxDocumentationBytes = 8000
)

// Launcher starts language servers. It may be used by many goroutines.
type Launcher interface {
	// Available returns nil if servers can run, else core.CodeSandboxUnavailable with a message
	// that says what to install or to set. It is cheap after the first call.
	Available(ctx context.Context) error
	// Compiler returns the packages of the server itself, as ranges by name for a
	// packages.Resolver; none if it needs none.
	Compiler() map[string]string
	// Launch starts a server, which runs until Close, a limit, or a failure of its own. ctx
	// bounds the start alone.
	//
	// Errors have code core.CodeSandboxUnavailable if Available fails, core.CodeNotFound if the
	// project has no files, core.CodeUnavailable if the packages are missing, the disk fails or
	// the server did not start, or are ctx's.
	Launch(ctx context.Context, project core.ID, task Task) (Server, error)
}

// Task says with which packages a server runs.
type Task struct {
	// Packages and Compiler are directories of packages.Set: the project's, "" for none, and
	// that of Launcher.Compiler.
	Packages string
	Compiler string
}

// Server answers questions about one project, whose configurations (tsconfig.json, jsconfig.json)
// it finds itself. It may be used by many goroutines; it answers them one after the other.
//
// An answer is about the files on the disk, except that the document of the question has the text
// of the question. Errors have code core.CodeUnavailable if the server has ended, also if it did so
// because of this question, or are ctx's.
type Server interface {
	// Complete returns what may be written at a place, the likeliest first. It does not look at
	// the beginning of the word, except to leave out what never fits.
	Complete(ctx context.Context, at Place) (Completions, error)
	// Describe returns more about one of the completions that Complete returns for the same
	// place. It is the zero Description if there is none of that label and source.
	Describe(ctx context.Context, at Place, label, source string) (Description, error)
	// Hover returns what the name at a place is, the zero Hover if there is no name.
	Hover(ctx context.Context, at Place) (Hover, error)
	// Define returns where the name at a place is defined, at most MaxLocations places.
	Define(ctx context.Context, at Place) ([]Location, error)
	// Diagnose returns the errors and warnings in a document, at most MaxFindings. They are in
	// the order of their places.
	Diagnose(ctx context.Context, document Document) ([]Finding, error)
	// Format returns the changes that format a document, none if it is formatted or cannot be
	// parsed. They do not overlap and are in the order of their places.
	Format(ctx context.Context, document Document, style Style) ([]Edit, error)
	// Changed tells which files of the project were written, made or deleted. Questions that are
	// asked afterwards know it.
	Changed(paths []string)
	// Done is closed when the server has ended.
	Done() <-chan struct{}
	// Close ends the server and waits until its processes are gone. It may be called repeatedly.
	Close()
}

// Speaks reports whether servers know the language of a file, by its name.
func Speaks(file core.ProjectPath) bool {
	switch path.Ext(file.String()) {
	case ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs":
		return true
	}
	return false
}

// Document is a file with the text that somebody sees in an editor, saved or not.
type Document struct {
	Path core.ProjectPath
	Text string
}

// Place is a place in a document. Line and Column count from 1, columns UTF-16 units, as editors
// do; one beyond the end is the end.
type Place struct {
	Document
	Line, Column int
}

// Range is a part of a text, from a place up to, without, another one.
type Range struct {
	Line      int `json:"line"`
	Column    int `json:"column"`
	EndLine   int `json:"endLine"`
	EndColumn int `json:"endColumn"`
}

// Edit replaces a part of a text.
type Edit struct {
	Range
	Text string `json:"text"`
}

// Completions are the answer to Complete.
type Completions struct {
	// Column is where the text begins that a completion replaces, in the line of the question.
	Column int
	// Items has at most MaxCompletions entries.
	Items []Completion
	// Truncated says that there were more.
	Truncated bool
}

// Completion is something that may be written.
type Completion struct {
	Label string `json:"label"`
	// Kind is one of class, constant, enum, function, interface, keyword, method, namespace,
	// property, text, type and variable.
	Kind string `json:"kind"`
	// Source is the module that the completion imports from, "" if it imports nothing.
	Source string `json:"source,omitempty"`
	// Insert is the text to write if it is not the label; Replace, if set, is what it replaces
	// instead of the word.
	Insert  string `json:"insert,omitempty"`
	Replace *Range `json:"replace,omitempty"`
	// Deprecated says that it should not be used any longer.
	Deprecated bool `json:"deprecated,omitempty"`
}

// Description is more about a completion.
type Description struct {
	// Signature is its type, as TypeScript, and Documentation what its author wrote, as
	// Markdown.
	Signature     string `json:"signature,omitempty"`
	Documentation string `json:"documentation,omitempty"`
	// Edits go with it, such as the import of what it names.
	Edits []Edit `json:"edits"`
}

// Hover describes a name.
type Hover struct {
	// Signature is its type, as TypeScript, and Documentation what its author wrote, as
	// Markdown. Both are empty if there is nothing to say.
	Signature     string `json:"signature,omitempty"`
	Documentation string `json:"documentation,omitempty"`
	// Range is the name in the document; nil if there is nothing to say.
	Range *Range `json:"range,omitempty"`
}

// Location is where something is defined: in a file of the project, or in a package.
type Location struct {
	// Path is the file of the project, or "" for a file of a package; then Package is the name of the
	// package, "typescript" for what the language itself has.
	Path    string `json:"path,omitempty"`
	Package string `json:"package,omitempty"`
	Range
}

// Severity is how bad a finding is.
type Severity string

// The severities.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
)

// Finding is something wrong in a document.
type Finding struct {
	Range
	Severity Severity `json:"severity"`
	// Code is TypeScript's number of the message.
	Code    int    `json:"code,omitempty"`
	Message string `json:"message"`
}

// Style is how people indent.
type Style struct {
	// IndentSize is how many columns one step of indentation has, 1 to 16.
	IndentSize int
	// Tabs says that it is a tab.
	Tabs bool
}
