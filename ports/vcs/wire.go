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
	// refusal of all other refs. A client prints the message of the error. After a success it also
	// prints which files of the newest version came as pointers of Git LFS, if it can.
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

// Errors of Remotes, as causes of errors with a code.
var (
	// ErrNoBranch says that another repository has no branch of the name.
	ErrNoBranch = errors.New("vcs: no such branch")
	// ErrDenied says that a server refuses the credentials, or has no such repository.
	ErrDenied = errors.New("vcs: denied")
	// ErrContent says that a project cannot hold what a branch holds.
	ErrContent = errors.New("vcs: unsuitable content")
	// ErrRejected says that a server takes no push to a branch, such as a protected one.
	ErrRejected = errors.New("vcs: rejected")
)

// Remotes fetches from other repositories, and pushes to them.
//
// Its methods return core.CodeValidationFailed for an invalid or unsupported address, and for a
// server that does not speak the smart protocol, or denies access (ErrDenied). They return
// core.CodeForbiddenAddress for a host that must not be reached, core.CodeUnavailable for one that
// does not answer in time or if ctx ends first, and core.CodePayloadTooLarge beyond the limits. No
// message contains the credentials in the address.
type Remotes interface {
	// Fetch stores a branch of another repository in quarantine, in the repository of a
	// project without a version. The caller closes the result. For a missing branch it
	// returns core.CodeValidationFailed with the cause ErrNoBranch, before it requests
	// any object; a tag is not a branch. It also returns core.CodeValidationFailed for a
	// repository without a branch.
	Fetch(ctx context.Context, project core.ID, source Source, limits Limits) (FetchedBranch, error)
	// Pull is Fetch for a project with versions: it requests only what the project lacks. known
	// are versions that the project has beside those of its log. A missing branch, or a
	// repository without one, has no tip. Versions that a project cannot hold are refused, by
	// the codes of core.ParsePath, core.CodeValidationFailed or core.CodePayloadTooLarge, with
	// the cause ErrContent. The caller closes the result.
	Pull(ctx context.Context, project core.ID, source Source, known []string, limits Limits) (PulledBranch, error)
	// Push moves a branch of another repository from a version to another that builds on it, both
	// in the project's log, and creates it if From is "". It never forces: if the branch is
	// elsewhere, or To does not build on From, it returns core.CodeConflict. It returns
	// core.CodeValidationFailed with the cause ErrRejected if the server takes no such push.
	// The source names a branch.
	Push(ctx context.Context, project core.ID, source Source, move Arrival) error
}

// PulledBranch is a branch of another repository, as it was pulled.
type PulledBranch interface {
	// Branch is the name of the branch: that of the source, or of the default branch.
	Branch() string
	// Tip is the newest version's id, "" if there is no such branch.
	Tip() string
	// Adopt stores what was pulled in the project's repository, so that it survives a power
	// cut.
	Adopt(ctx context.Context) error
	// Close removes the quarantine.
	Close() error
}

// FetchedBranch is a fetched branch of another repository.
type FetchedBranch interface {
	// Tip is the newest version's id.
	Tip() string
	// Tree returns nil if a project can hold the newest version, but for what Files leaves out,
	// else an error with a code of core.ParsePath, core.CodeValidationFailed or
	// core.CodePayloadTooLarge.
	Tree() error
	// History returns nil if a project can hold every version as it is.
	History() error
	// Files passes the files of the newest version to add, one after the other, as
	// changes that write them. The content of a file has the place of a link to it. Files leaves
	// out other links, submodules, names that core.ParsePath refuses with
	// core.CodeInvalidPath, except for those that fold to ".git", and the later one of two in a
	// folder that differ only in upper and lower case.
	Files(ctx context.Context, add func(core.FileChange) error) (core.Omissions, error)
	// Adopt stores all objects in the project's repository, so that they survive a
	// power cut.
	Adopt(ctx context.Context) error
	// Close removes the quarantine.
	Close() error
}
