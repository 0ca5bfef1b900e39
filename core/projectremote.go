package core

// RemoteState says how a project and its branch on another host stand to each other.
type RemoteState string

// The states. All but the first three wait for a person.
const (
	// RemoteNew: nothing was exchanged yet. RemoteSynced: both have the same versions.
	RemoteNew    RemoteState = "new"
	RemoteSynced RemoteState = "synced"
	// RemoteWaiting: it is tried again, because the host does not answer or the agent works.
	RemoteWaiting RemoteState = "waiting"
	// RemoteConflict: both sides changed the same places.
	RemoteConflict RemoteState = "conflict"
	// RemoteDenied: the host refuses the token, or has no such repository.
	RemoteDenied RemoteState = "denied"
	// RemoteNoBranch: the branch was deleted or renamed there.
	RemoteNoBranch RemoteState = "no_branch"
	// RemoteUnsuitable: a project cannot hold what the branch holds.
	RemoteUnsuitable RemoteState = "unsuitable"
	// RemoteRejected: the host takes no push to the branch.
	RemoteRejected RemoteState = "rejected"
	// RemoteOwner: the person who connected the project may no longer change it.
	RemoteOwner RemoteState = "owner_gone"
	// RemoteFailed: the address is not that of a git repository.
	RemoteFailed RemoteState = "failed"
)

// Limits of remotes.
const (
	MaxRemoteAddressChars = 2048
	MaxRemoteBranchChars  = 255
	MaxRemoteTokenBytes   = 4096
)

// ProjectRemote connects a project with a branch of a repository on another host.
type ProjectRemote struct {
	// ID is new with every connection of the project.
	ID        ID
	ProjectID ID
	// Address has no credentials.
	Address string
	// Branch is a short name; "" is the default branch until it is known.
	Branch   string
	Username string
	// Sealed is the sealed token, nil without one, bound to "remote <ID>".
	Sealed []byte
	// HookHash is the hash of the token in the address of the webhook.
	HookHash string
	State    RemoteState
	// Problem describes the last failure for people, "" without one.
	Problem   string
	Conflicts []MergeConflict
	// Tip is the version that the branch was last seen at, and that the project's repository has.
	Tip string
	// TaskID is the task in which the agent settles the conflicts with the version TaskTip.
	TaskID  *ID
	TaskTip string
	// Failures counts failed attempts since the last one that succeeded.
	Failures int
	// DueAt is when to look again; LeasedUntil is how long a process does so.
	DueAt       Time
	LeasedUntil Time
	// SyncedAt is when both last had the same versions, 0 before.
	SyncedAt  Time
	CreatedBy ID
	CreatedAt Time
	UpdatedAt Time
}
