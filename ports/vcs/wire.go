package vcs

import (
	"context"
	"errors"
	"io"

	"github.com/atelierhq/atelier/core"
)

// Service is one of the two that a git client asks for.
type Service string

// The services of git's smart protocol.
const (
	ServiceUpload  Service = "git-upload-pack"
	ServiceReceive Service = "git-receive-pack"
)

// Wire speaks git's smart protocol, in version 0 and without state between requests,
// for the projects' repositories. A project has one branch, main. It keeps no lock:
// what it stores aside is nobody's until it is taken over under the project's.
//
// A project without a repository has code core.CodeNotFound, a request that is none
// of the protocol core.CodeInvalidRequest, a failure of the disk, and an adapter
// that has no repositories which git could read, core.CodeUnavailable.
type Wire interface {
	// Advertise writes the refs of a project, for a client that asks for a service.
	Advertise(ctx context.Context, project core.ID, service Service, to io.Writer) error
	// Upload answers a request for objects: of main with its whole history, or as
	// much of it as the client lacks or asks for. Nothing is written before the
	// request is understood; errors after that tear the answer.
	Upload(ctx context.Context, project core.ID, from io.Reader, to io.Writer) error
	// Receive reads a push to its end. Its pack is stored aside, within the limits,
	// and judged: see Push. The caller closes what it returns.
	Receive(ctx context.Context, project core.ID, from io.Reader, limits Limits) (Push, error)
}

// Limits bound what comes from elsewhere.
type Limits struct {
	// PackBytes is the largest pack, as it is sent.
	PackBytes int64
	// FileBytes is the largest file.
	FileBytes int64
	// TreeBytes bounds all files of one version together; 0 is the adapter's own bound,
	// which a larger one does not lift.
	TreeBytes int64
}

// Push is what a client sent. Every new commit, tree and file in it has been looked
// at: what the file API refuses cannot come this way, in no version. A pack that is
// damaged, too large or refused for what it holds is a Push all the same, which can
// only be reported.
type Push interface {
	// Arrival is the move of main that the client asks for. The error says why there
	// can be none: core.CodeInvalidRequest for a damaged pack,
	// core.CodePayloadTooLarge for one beyond the limits, core.CodeInvalidPath and
	// core.CodePathTraversal for a path, core.CodeValidationFailed for anything else
	// that it holds, core.CodeConflict for a move that is no fast-forward, and
	// core.CodeNotFound when main is not to be moved at all.
	Arrival() (Arrival, error)
	// Adopt stores the objects of the push in the project's repository, so that they
	// survive a power cut.
	Adopt(ctx context.Context) error
	// Report writes the answer to the push: what became of main, nil for the best, and
	// that nothing became of the rest. A client prints the message of the error.
	Report(to io.Writer, outcome error) error
	// Close removes what was stored aside.
	Close() error
}

// Source is a branch of a repository elsewhere.
type Source struct {
	// Address is the repository's, maybe with credentials.
	Address string
	// Branch is a short name, such as "main"; nil is the default branch.
	Branch *string
}

// ErrNoBranch says that a repository elsewhere has no branch of the name.
var ErrNoBranch = errors.New("vcs: no such branch")

// Remotes fetches from repositories elsewhere.
type Remotes interface {
	// Fetch stores a branch of a repository elsewhere aside, in the repository of a
	// project that has no version yet. The caller closes what it returns. A named branch
	// that the repository does not have is core.CodeValidationFailed with the cause
	// ErrNoBranch, before any object is asked for; a tag is no branch.
	//
	// An address that is none or that is not allowed, a server that asks for other
	// credentials, has no such repository, none with a branch, or talks no smart
	// protocol, have code core.CodeValidationFailed; a host that must not be
	// reached core.CodeForbiddenAddress; one that does not answer, or not in time,
	// core.CodeUnavailable; what is beyond the limits core.CodePayloadTooLarge. No
	// message tells credentials that are in the address. When ctx ends first the
	// error is core.CodeUnavailable.
	Fetch(ctx context.Context, project core.ID, source Source, limits Limits) (Fetched, error)
}

// Fetched is what came from a repository elsewhere.
type Fetched interface {
	// Tip is the newest version's id.
	Tip() string
	// Tree is nil when a project can hold the newest version, else an error with
	// the codes of core.ParsePath, core.CodeValidationFailed or
	// core.CodePayloadTooLarge.
	Tree() error
	// History is nil when a project can hold every version.
	History() error
	// Files gives the files of the newest version to add, one after the other, as
	// changes that write them.
	Files(ctx context.Context, add func(core.FileChange) error) error
	// Adopt stores all objects in the project's repository, so that they survive a
	// power cut.
	Adopt(ctx context.Context) error
	// Close removes what was stored aside.
	Close() error
}
