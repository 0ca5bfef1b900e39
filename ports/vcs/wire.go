package vcs

import (
	"context"
	"errors"
	"io"

	"github.com/atelierhq/atelier/core"
)

// Service is one of the two services of a git server.
type Service string

// The services of git's smart protocol.
const (
	ServiceUpload  Service = "git-upload-pack"
	ServiceReceive Service = "git-receive-pack"
)

// Wire speaks git's smart protocol, in version 0 and without state between requests, for
// the projects' repositories. A project has one branch, main. It needs no lock: objects
// in its quarantine belong to nobody until they are adopted under the project's lock.
//
// A project without a repository has code core.CodeNotFound, a request that violates the
// protocol core.CodeInvalidRequest. A failure of the disk has core.CodeUnavailable, and
// so has an adapter without repositories that git could read.
type Wire interface {
	// Advertise writes the refs of a project, for a service.
	Advertise(ctx context.Context, project core.ID, service Service, to io.Writer) error
	// Upload answers a request for objects: main with its whole history, or the part
	// that the client lacks or asks for. Nothing is written before the request is
	// parsed; errors after that truncate the answer.
	Upload(ctx context.Context, project core.ID, from io.Reader, to io.Writer) error
	// Receive reads a push to its end. It stores the pack in quarantine, within the
	// limits, and checks it: see Push. The caller closes the result.
	Receive(ctx context.Context, project core.ID, from io.Reader, limits Limits) (Push, error)
}

// Limits bound input from elsewhere.
type Limits struct {
	// PackBytes is the largest pack, as sent.
	PackBytes int64
	// FileBytes is the largest file.
	FileBytes int64
	// TreeBytes bounds all files of one version together; 0 means the adapter's own
	// bound, which a larger value does not raise.
	TreeBytes int64
}

// Push is a client's push. Every new commit, tree and file in it has been checked: files
// that the file API refuses are refused here in every version. A pack that is damaged,
// too large or refused for its content is still a Push, which can only be reported.
type Push interface {
	// Arrival returns the move of main that the client asks for. It returns
	// core.CodeInvalidRequest for a damaged pack, core.CodePayloadTooLarge beyond the
	// limits, core.CodeInvalidPath and core.CodePathTraversal for a path, and
	// core.CodeValidationFailed for any other content. It returns core.CodeConflict for
	// a move that is not a fast-forward, and core.CodeNotFound if the push does not move
	// main at all.
	Arrival() (Arrival, error)
	// Adopt stores the objects of the push in the project's repository, so that they
	// survive a power cut.
	Adopt(ctx context.Context) error
	// Report writes the answer to the push: the outcome for main, nil for success, and a
	// refusal of all other refs. A client prints the message of the error.
	Report(to io.Writer, outcome error) error
	// Close removes the quarantine.
	Close() error
}

// Source is a branch of another repository.
type Source struct {
	// Address is the repository's URL, possibly with credentials.
	Address string
	// Branch is a short name, such as "main"; nil is the default branch.
	Branch *string
}

// ErrNoBranch says that another repository has no branch of the name.
var ErrNoBranch = errors.New("vcs: no such branch")

// Remotes fetches from other repositories.
type Remotes interface {
	// Fetch stores a branch of another repository in quarantine, in the repository of a
	// project without a version. The caller closes the result. For a missing branch it
	// returns core.CodeValidationFailed with the cause ErrNoBranch, before it requests
	// any object; a tag is not a branch.
	//
	// It returns core.CodeValidationFailed for an invalid or unsupported address, and
	// for a server that refuses the credentials, has no such repository, none with a
	// branch, or does not speak the smart protocol. It returns core.CodeForbiddenAddress
	// for a host that must not be reached, core.CodeUnavailable for one that does not
	// answer in time or if ctx ends first, and core.CodePayloadTooLarge beyond the
	// limits. No message contains the credentials in the address.
	Fetch(ctx context.Context, project core.ID, source Source, limits Limits) (FetchedBranch, error)
}

// FetchedBranch is a fetched branch of another repository.
type FetchedBranch interface {
	// Tip is the newest version's id.
	Tip() string
	// Tree returns nil if a project can hold the newest version, else an error with a
	// code of core.ParsePath, core.CodeValidationFailed or core.CodePayloadTooLarge.
	Tree() error
	// History returns nil if a project can hold every version.
	History() error
	// Files passes the files of the newest version to add, one after the other, as
	// changes that write them.
	Files(ctx context.Context, add func(core.FileChange) error) error
	// Adopt stores all objects in the project's repository, so that they survive a
	// power cut.
	Adopt(ctx context.Context) error
	// Close removes the quarantine.
	Close() error
}
