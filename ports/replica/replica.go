package replica

import "github.com/atelierhq/atelier/core"

// Bounds of a document. They apply to all input; a document of the service's own files
// stays far below them.
const (
	// MaxUpdateBytes is the largest update or state that is read.
	MaxUpdateBytes = 32 << 20
	// MaxTextBytes is the longest text that Edit makes, in bytes of UTF-8. Updates of
	// others may make longer ones.
	MaxTextBytes = 1 << 20
	// MaxContentBytes bounds the values of a document together, without deleted ones.
	MaxContentBytes = 64 << 20
	// MaxStructs bounds the pieces of a document, and the clients in a state vector.
	// Continuous typing is one piece, and so is the tombstone of one deletion.
	MaxStructs = 400_000
	// MaxPending bounds the pieces, and the deletions, that wait for others that they
	// depend on.
	MaxPending = 20_000
)

// Maker opens documents.
type Maker interface {
	// Open returns the document with the given state, from Encode(nil), or an empty one if
	// state is empty. It fails like Apply.
	Open(state []byte) (Document, error)
}

// Document is one replica. Its methods must not be called concurrently; it starts no
// goroutine and never waits. It does not retain slices that it is given, and those that it
// returns belong to the caller.
//
// A document maps paths to texts. Other data of a client in the same document is kept and
// never shown here: values under other names, values of a path that are not texts, keys
// that core.ParsePath refuses, formats and objects within a text.
//
// If two replicas concurrently make a text for the same path, one of them becomes the
// path's text on all replicas, and the other is lost.
type Document interface {
	// Apply applies an update. Updates may arrive in any order, more than once, and
	// overlapping; it is idempotent. Parts that depend on missing others wait, and are
	// applied with the update that has those.
	//
	// A failure changes nothing: it returns core.CodeInvalidRequest for bytes that are not
	// an update, and core.CodePayloadTooLarge if a bound would be exceeded, or if the
	// update takes more work than any client causes by editing. Texts longer than
	// MaxTextBytes are not a failure.
	Apply(update []byte) (Change, error)

	// Edit changes the text of a path, and makes an empty one first if there is none. Edits
	// must be in order, not overlap, be within the text, split no character, and insert
	// valid UTF-8; else the code is core.CodeInvalidRequest. It returns
	// core.CodePayloadTooLarge if the text would exceed MaxTextBytes, or the document
	// MaxStructs. A failure changes nothing. Edits without effect return the zero Change.
	Edit(path core.ProjectPath, edits []Edit) (Change, error)

	// Remove removes a path and its text. Concurrent edits of that text on other replicas
	// are lost: a new text under the path is a different one. It returns the zero Change if
	// there is nothing under that path.
	Remove(path core.ProjectPath) Change

	// Renew rewrites every text with many pieces as a single piece, if that saves at least
	// least pieces; else it returns the zero Change. It is an ordinary change: replicas
	// that apply it become equally small. Later edits of the former texts are lost, as
	// Change.Buried reports, and so are formats and objects within texts.
	Renew(least int) Change

	// Text returns the text of a path and whether there is one.
	Text(path core.ProjectPath) (string, bool)

	// Paths returns the paths that have a text, sorted.
	Paths() []core.ProjectPath

	// StateVector describes what the replica has, for another one's Encode. It includes
	// neither deletions nor waiting parts.
	StateVector() []byte

	// Encode returns an update with everything that a replica with the given state vector
	// lacks, and with all deletions; with an empty vector, the whole state. It includes
	// waiting parts. It returns core.CodeInvalidRequest for bytes that are not a state
	// vector, and core.CodePayloadTooLarge for one with more than MaxStructs entries.
	Encode(since []byte) ([]byte, error)

	// Stats returns the size of the document.
	Stats() Stats

	// Rest releases memory that a document needs only while it is in use. The content stays
	// the same; the next call that reads or changes it takes as long as Open, once.
	Rest()
}

// Edit replaces a part of a text: Delete bytes from byte At on by Insert. At is an offset
// in the text before any of the edits that are given together.
type Edit struct {
	At, Delete int
	Insert     string
}

// Change is the effect of a call. Its zero value means no change.
type Change struct {
	// Update is the change for the other replicas, nil if there is none. Applied to a
	// replica with the state before the call, it gives the state after it; it does not
	// include waiting parts.
	Update []byte
	// Paths has every path whose text was changed, added or removed, sorted. It may have
	// one whose text ended up the same.
	Paths []core.ProjectPath
	// Buried is how many pieces of text arrived invisible, because the text that they
	// belong to was removed.
	Buried int
}

// Stats is the size of a document.
type Stats struct {
	// Structs is its number of pieces, and Content the size of their values in bytes.
	Structs, Content int
	// Clients is how many replicas have written in it.
	Clients int
	// Pending is how many pieces and deletions wait for others that they depend on.
	Pending int
}
