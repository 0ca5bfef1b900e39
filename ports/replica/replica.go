// Package replica is the port to replicated documents: the texts of a project that
// several people edit at the same time, each on a copy of their own, and that come out
// the same on every copy, in whatever order the changes arrive.
//
// Changes travel as updates. What an update is made of is between the replicas and the
// clients that people use; here it is bytes. There is one adapter, which speaks the
// clients' language and keeps all that it holds in memory: a simpler one with a format
// of its own would hold a room in which no client is understood, so hosts that want
// nothing on disk use the same.
package replica

import "github.com/atelierhq/atelier/core"

// Bounds of a document. They hold for everything that comes in; a document of the
// service's own files stays far below them.
const (
	// MaxUpdateBytes is the largest update or state that is read.
	MaxUpdateBytes = 32 << 20
	// MaxTextBytes is the longest text that Edit makes, in bytes of UTF-8. Updates of
	// others may make longer ones.
	MaxTextBytes = 1 << 20
	// MaxContentBytes is what the values of a document hold together, deleted ones
	// not counted.
	MaxContentBytes = 64 << 20
	// MaxStructs is how many pieces a document consists of, and how many clients a
	// state vector may name. A run of typing is one piece, and so is what somebody
	// deleted in one go.
	MaxStructs = 400_000
	// MaxPending is how many pieces, and how many deletions, wait for others that they
	// depend on.
	MaxPending = 20_000
)

// Maker opens documents.
type Maker interface {
	// Open returns the document with the given state, as Encode(nil) returned it, or
	// an empty one when state is empty. It fails as Apply does.
	Open(state []byte) (Document, error)
}

// Document is one replica. Its methods must not be called at the same time by several
// goroutines; it starts none itself and nothing in it waits. It keeps none of the
// slices that it is given, and those that it returns are the caller's.
//
// A document maps paths to texts. What else a client keeps in the same document is
// carried along and never seen here: values under other names, values of a path that
// are no text, keys that core.ParsePath refuses, formats and objects within a text.
//
// Where two replicas make a text for the same path without knowing of each other, one
// of the texts is the path's on all replicas, and the other is gone.
type Document interface {
	// Apply takes in an update. Updates may come in any order, more than once, and
	// overlapping; what has come before changes nothing. Parts that depend on others
	// that have not come wait, and are applied with the update that brings those.
	//
	// What went wrong changes nothing: core.CodeInvalidRequest for bytes that are no
	// update; core.CodePayloadTooLarge when a bound would be exceeded, or when the
	// update takes more work than any client causes by editing. Texts longer than
	// MaxTextBytes are no failure.
	Apply(update []byte) (Change, error)

	// Edit changes the text of a path, and makes an empty one first where there is
	// none. Edits are in order, do not overlap, lie within the text and cut no character,
	// and what they insert is valid UTF-8; else the code is core.CodeInvalidRequest. A
	// text that would become longer than MaxTextBytes, or a document of more than
	// MaxStructs, has core.CodePayloadTooLarge. A failure changes nothing. Edits that do
	// nothing return the zero Change.
	Edit(path core.ProjectPath, edits []Edit) (Change, error)

	// Remove takes a path and its text away. Whoever edits that text at the same time
	// elsewhere loses the edit: a text that is made again is another one. It returns
	// the zero Change where there is nothing under that path.
	Remove(path core.ProjectPath) Change

	// Renew makes every text that consists of many pieces anew, as one, when at least so
	// many pieces go by it; else, and where that is none, it returns the zero Change. It is
	// a change as others are: replicas take it in, and what they hold becomes as small.
	// Edits of the texts of before that come later are lost, which Change.Buried tells, and
	// so are formats and objects within texts.
	Renew(least int) Change

	// Text returns the text of a path and whether there is one.
	Text(path core.ProjectPath) (string, bool)

	// Paths returns the paths that have a text, sorted.
	Paths() []core.ProjectPath

	// StateVector tells what the replica has, for another one's Encode. It does not
	// tell of deletions, nor of what waits.
	StateVector() []byte

	// Encode returns an update with everything that a replica with the given state
	// vector lacks, and with all deletions; with an empty vector, the whole state. What
	// waits is part of it. It returns core.CodeInvalidRequest for bytes that are no
	// state vector, and core.CodePayloadTooLarge for one of more than
	// MaxStructs entries.
	Encode(since []byte) ([]byte, error)

	// Stats tells how large the document is.
	Stats() Stats

	// Rest gives back memory that a document needs only while it is worked with. What the
	// document says stays the same; the next call that looks into it or changes it takes
	// as long as Open, once.
	Rest()
}

// Edit replaces a part of a text: Delete bytes from byte At on by Insert. At counts in
// the text as it is before any of the edits that are given together.
type Edit struct {
	At, Delete int
	Insert     string
}

// Change is what a call changed. Its zero value says that nothing did.
type Change struct {
	// Update holds the change for the other replicas, nil when there is none. Applied
	// to a replica that was in the state of this one before, it leads to the state of
	// this one now; what waits is not in it.
	Update []byte
	// Paths names every path whose text changed, came or went, sorted. It may name one
	// whose text came out the same.
	Paths []core.ProjectPath
	// Buried is how many pieces of text came that nobody sees, because what they were
	// written into is gone.
	Buried int
}

// Stats tells how large a document is.
type Stats struct {
	// Structs is how many pieces it consists of, and Content how many bytes their
	// values take.
	Structs, Content int
	// Clients is how many replicas have written in it.
	Clients int
	// Pending is how many pieces and deletions wait for others.
	Pending int
}
