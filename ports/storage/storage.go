// Package storage is the port to the database: one repository per noun, all of them over
// one connection or one transaction.
//
// Every method returns core.CodeNotFound for a record that does not exist, also for the
// parent of a new record, and the code that its comment names for a conflict. An id in use
// has code core.CodeConflict, text that is not Storable core.CodeValidationFailed. Any
// other failure of the database is core.CodeUnavailable with its cause, and so is the end
// of a call's context, which every call honours. The list of a parent that does not exist
// is empty. Records of the same age are ordered by their ids.
//
// A call that fails changes nothing. Records go in and come out as copies.
package storage

import (
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
)

// Store is a database.
type Store interface {
	// Tables returns the repositories outside of any transaction.
	Tables() Tables
	// InTx runs do in one transaction and commits when it returns nil. An error rolls
	// everything back and is returned unchanged. do may run more than once, so it must
	// change state only through tables and do no other input or output: a call to the store
	// itself would wait for its own transaction.
	//
	// Transactions are serializable: each sees the database as if it ran alone. After a
	// call on tables has failed, do may make others. tables work only until do returns.
	InTx(ctx context.Context, do func(ctx context.Context, tables Tables) error) error
	// Ping returns nil if the database answers.
	Ping(ctx context.Context) error
	// CheckWrite makes a small test write, and returns core.CodeUnavailable if the database
	// accepts no changes: it is read-only, or its disk is full. The write need not be durable.
	CheckWrite(ctx context.Context) error
	// Now is the current time, on which all processes that share the store agree, whatever
	// the clocks of their machines. It makes no query.
	Now() time.Time
	// Close ends all connections.
	Close() error
}

// Tables is every repository over one connection or one transaction.
type Tables struct {
	Users       Users
	Workspaces  Workspaces
	Folders     Folders
	Projects    Projects
	Files       Files
	Edits       Edits
	Chats       Chats
	Events      Events
	Runs        Runs
	Attachments Attachments
	Providers   Providers
	Usage       Usage
	Deployments Deployments
	Environment Environment
	Thumbnails  Thumbnails
	Domains     Domains
	Rooms       Rooms
	FormerRooms FormerRooms
	SlugHolds   SlugHolds
	TestMails   TestMails
	Snapshots   Snapshots
	DataClaims  DataClaims

	AcceptedFindings AcceptedFindings
	CheckOutcomes    CheckOutcomes
	SiteSettings     SiteSettings
	Takedowns        Takedowns
	VersionMarks     VersionMarks
	PreviewLinks     PreviewLinks
	SiteCounts       SiteCounts
	BackendCalls     BackendCalls
	SignInProviders  SignInProviders
	CreditHolds      CreditHolds

	FunctionSchedules FunctionSchedules
	Tasks             Tasks
	Comments          Comments

	Webhooks          Webhooks
	Connectors        Connectors
	SharedTemplates   SharedTemplates
	ProjectRemotes    ProjectRemotes
	ProgramClients    ProgramClients
	ProgramGrants     ProgramGrants
	WebhookDeliveries WebhookDeliveries

	InstanceSettings InstanceSettings
	LastBackup       LastBackup
	InstanceInvites  InstanceInvites
	Roster           Roster

	CompanyProviders CompanyProviders
	GroupGrants      GroupGrants

	PlatformProviders PlatformProviders

	Factors       Factors
	Passkeys      Passkeys
	Identities    Identities
	Tickets       Tickets
	Sessions      Sessions
	APITokens     APITokens
	Subscriptions Subscriptions
	Members       Members
	Invites       Invites
	Modes         Modes
	Commands      Commands
	Mails         Mails
	Audit         Audit
}

// Users are people with accounts.
type Users interface {
	// Create stores a user. An address in use has code core.CodeEmailTaken.
	Create(ctx context.Context, user core.User) error
	ByID(ctx context.Context, id core.ID) (core.User, error)
	// ByEmail takes a normal address (core.NormalEmail).
	ByEmail(ctx context.Context, email string) (core.User, error)
	// Any reports whether there is any user.
	Any(ctx context.Context) (bool, error)
	// WithWorkspaces is ByID and Workspaces.OfUser in one query.
	WithWorkspaces(ctx context.Context, id core.ID) (core.User, []core.JoinedWorkspace, error)
	// OnProject is ByID plus the part of Projects.SeenBy that decides the user's rights, in
	// one query. Without the project or the user it returns core.CodeNotFound.
	OnProject(ctx context.Context, id, project core.ID) (ProjectUser, error)
	// Update loads the user, calls change on it, and stores it, all under one lock of the
	// record. change may run more than once; if it returns an error, that is returned
	// unchanged and nothing is stored. ID and CreatedAt cannot change.
	Update(ctx context.Context, id core.ID, change func(*core.User) error) (core.User, error)
	// Delete removes the user with their sessions, API tokens, identities, second factor, passkeys,
	// subscriptions, tickets and memberships. What names them elsewhere stays: projects, messages, invites, audit entries.
	Delete(ctx context.Context, id core.ID) error
}

// ProjectUser is a user with the facts that decide their rights in a project.
type ProjectUser struct {
	User core.User
	// WorkspaceID is the project's workspace.
	WorkspaceID core.ID
	Access      core.ProjectAccess
	// Standing is the user's in the project's workspace.
	core.Standing
}

// Workspaces are workspaces and their members.
type Workspaces interface {
	Create(ctx context.Context, workspace core.Workspace) error
	ByID(ctx context.Context, id core.ID) (core.Workspace, error)
	// SeenBy is ByID with the user's standing, in one consistent query.
	SeenBy(ctx context.Context, id, user core.ID) (core.Workspace, core.Standing, error)
	// OfUser returns the workspaces in which the user has a role, personal ones
	// first, then by age.
	OfUser(ctx context.Context, user core.ID) ([]core.JoinedWorkspace, error)
	// Update works as Users.Update does.
	Update(ctx context.Context, id core.ID, change func(*core.Workspace) error) (core.Workspace, error)
	// Delete removes the workspace and everything that belongs to it.
	Delete(ctx context.Context, id core.ID) error
	// PutMember adds a member or changes the role of one, keeping JoinedAt.
	PutMember(ctx context.Context, member core.Membership) error
	// Role returns core.RoleNone, without an error, for a user who is not a member and for
	// a workspace that does not exist.
	Role(ctx context.Context, workspace, user core.ID) (core.Role, error)
}

// Folders group projects.
type Folders interface {
	Create(ctx context.Context, folder core.Folder) error
	ByID(ctx context.Context, id core.ID) (core.Folder, error)
	// List returns a workspace's folders by name, byte by byte.
	List(ctx context.Context, workspace core.ID) ([]core.Folder, error)
	// Update works as Users.Update does. ID, WorkspaceID and CreatedAt cannot change.
	Update(ctx context.Context, id core.ID, change func(*core.Folder) error) (core.Folder, error)
	// Delete removes the folder. Its projects, including soft-deleted ones, and the folders
	// in it move to the root.
	Delete(ctx context.Context, id core.ID) error
}

// FileDelta is a change to the rows of one project's files. Put rows replace those of the
// same path; of two Put rows of one path the last counts. Delete removes a path and all
// paths below it; a missing one is no error. Deletes are applied first.
//
// Unsettled keeps the project's mark, if there is one, because more than the rows must be
// brought in step. Edit, if set, becomes the project's edit (see Edits).
type FileDelta struct {
	Delete    []core.ProjectPath
	Put       []core.FileEntry
	Unsettled bool
	Edit      *Edit
}

// Edit records that people changed a project's files by hand and no version may have the
// changes yet: the time of the last change, and the people's names.
type Edit struct {
	Project core.ID
	At      core.Time
	By      string
}

// Edits are the edits of all projects, at most one each. Files.Apply stores them atomically
// with the change of the files, so that none is lost when a process dies.
type Edits interface {
	// Of returns a project's edit, or core.CodeNotFound if it has none.
	Of(ctx context.Context, project core.ID) (Edit, error)
	// Due returns at most limit edits that were made at until or before, the oldest first.
	Due(ctx context.Context, until core.Time, limit int) ([]Edit, error)
	// Settle removes a project's edit, unless it has changed meanwhile (optimistic
	// locking). Neither that nor a project without an edit is an error.
	Settle(ctx context.Context, edit Edit) error
}

// FileState is the state of the rows of one project's files.
type FileState struct {
	// Revision grows with every Apply; it is 0 before the first.
	Revision int64
	// Unsettled is the mark that a process is changing the files, or died while doing so:
	// then the rows may differ from the disk.
	Unsettled bool
}

// SeenFiles is the state of a project's files with the facts that decide who may see them.
type SeenFiles struct {
	Access core.ProjectAccess
	// Standing is the user's in the project's workspace.
	core.Standing
	State FileState
}

// Files is the cache of the work trees: the table project_files. The disk is the truth;
// this is a copy that is fast to read.
type Files interface {
	// List returns the rows of a project sorted by path, byte by byte.
	List(ctx context.Context, project core.ID) ([]core.FileEntry, error)
	ByPath(ctx context.Context, at core.FileAt) (core.FileEntry, error)
	// Apply changes rows, all or none, and increments the project's file revision. It
	// atomically removes the project's mark, unless the delta is Unsettled. Under a lost
	// lock (locks.Check) it changes nothing and returns core.CodeUnavailable.
	//
	// It returns the new revision, which is one more than the last.
	Apply(ctx context.Context, project core.ID, delta FileDelta) (revision int64, err error)
	// State returns the zero state for a project that does not exist.
	State(ctx context.Context, project core.ID) (FileState, error)
	// SeenBy returns the results of State and, about access, of Projects.SeenBy in one
	// consistent query.
	SeenBy(ctx context.Context, project, user core.ID) (SeenFiles, error)
	// Mark marks the project as unsettled, durably, and changes nothing else; it is
	// idempotent. Several processes on the same files mark a project before they change the disk.
	Mark(ctx context.Context, project core.ID) error
	// Unmark removes the mark and changes nothing else; it is idempotent.
	Unmark(ctx context.Context, project core.ID) error
}

// Chats are conversations.
type Chats interface {
	Create(ctx context.Context, chat core.Chat) error
	// ByID fills Running.
	ByID(ctx context.Context, id core.ID) (core.Chat, error)
	// List returns a project's chats, the oldest first, with Running.
	List(ctx context.Context, project core.ID) ([]core.Chat, error)
	// Update works as Users.Update does; Running is not stored.
	Update(ctx context.Context, id core.ID, change func(*core.Chat) error) (core.Chat, error)
	// Runs returns the queued and running runs of a project's chats, the oldest run first.
	Runs(ctx context.Context, project core.ID) ([]core.Run, error)
	// Delete removes the chat with its events, runs and attachments.
	Delete(ctx context.Context, id core.ID) error
}

// EventRange asks for part of a chat's log. Events have seq > After and, unless Before is
// 0, seq < Before. Limit bounds their number; below 1 there are none. Newest selects the
// last Limit of them instead of the first; the result is in ascending order either way.
type EventRange struct {
	After, Before int64
	Limit         int
	Newest        bool
}

// Events is the log of every chat.
type Events interface {
	// Append gives the payloads the next sequence numbers of the chat, in order and without
	// a gap under any number of writers, stores them durably, and returns them as events. A
	// reader of an event also finds all events before it. A payload that has no JSON form,
	// or one that is not UTF-8, has code core.CodeValidationFailed.
	Append(ctx context.Context, chat core.ID, at core.Time, payloads []core.Payload) ([]core.Event, error)
	Read(ctx context.Context, chat core.ID, span EventRange) ([]core.Event, error)
	// Copy copies the whole log of the chat from to the chat to, with its seqs and times.
	// In user messages, it replaces the ids of attachments by names. It returns
	// core.CodeConflict if the chat to already has a log. In a transaction it copies the
	// log as the transaction sees it.
	Copy(ctx context.Context, from, to core.ID, names map[core.ID]core.ID) error
}

// Runs are the agent's runs, and the durable queue of those not yet begun.
type Runs interface {
	// Create stores a run. It returns core.CodeChatBusy if the chat already has a busy run,
	// also under parallel calls.
	Create(ctx context.Context, run core.Run) error
	ByID(ctx context.Context, id core.ID) (core.Run, error)
	// Busy returns the chat's queued or running run, or core.CodeNotFound.
	Busy(ctx context.Context, chat core.ID) (core.Run, error)
	// Claim sets the oldest queued run to running, with the given owner and lease, and
	// returns it, or core.CodeNotFound if none is queued. It skips runs of the workspaces
	// in except. No two callers get the same run.
	Claim(ctx context.Context, owner string, leaseUntil core.Time, except []core.ID) (core.Run, error)
	// CountRunning returns how many runs of a workspace are running.
	CountRunning(ctx context.Context, workspace core.ID) (int, error)
	// Made returns the runs that made versions of a project, in no order.
	Made(ctx context.Context, project core.ID, versions []string) ([]core.Run, error)
	// Lapsed returns the running runs whose lease expired before now, the oldest run first.
	Lapsed(ctx context.Context, now core.Time) ([]core.Run, error)
	// Update works like Users.Update. It returns core.CodeChatBusy if the run becomes busy
	// in a chat with another busy run.
	Update(ctx context.Context, id core.ID, change func(*core.Run) error) (core.Run, error)
	// Hold sets CreditHeld and Payer if allow returns nil. allow gets the call's funds
	// under one lock of the workspace and of every spender: no other Hold,
	// Workspaces.Update or Usage.Charge comes between its check and the change. It may run
	// more than once; its error is returned unchanged and nothing is stored. A run that is
	// not running has code core.CodeConflict.
	Hold(ctx context.Context, id core.ID, hold core.Hold, allow func(core.Funds) error) error
}

// Providers are the workspaces' own AI providers.
type Providers interface {
	// Create stores a provider. If it is the default, the workspace's others stop being it;
	// Update does the same.
	Create(ctx context.Context, provider core.Provider) error
	ByID(ctx context.Context, id core.ID) (core.Provider, error)
	// List returns a workspace's providers, the oldest first.
	List(ctx context.Context, workspace core.ID) ([]core.Provider, error)
	// Update works as Users.Update does.
	Update(ctx context.Context, id core.ID, change func(*core.Provider) error) (core.Provider, error)
	Delete(ctx context.Context, id core.ID) error
}

// Usage sums the use of workspaces.
type Usage interface {
	// Add adds row to the sums of its day and model.
	Add(ctx context.Context, workspace core.ID, row core.UsageRow) error
	// List returns the sums, the newest day first, then by model.
	List(ctx context.Context, workspace core.ID) ([]core.UsageRow, error)
	// Charge adds a cost, in USD, to people's spending on the platform's provider: once per
	// person, even if named twice. It does not check whether they have an account.
	Charge(ctx context.Context, users []core.ID, cost float64) error
	// Charged returns a person's spending on the platform's provider, in USD; 0 for an
	// unknown person.
	Charged(ctx context.Context, user core.ID) (float64, error)
}

// Deployments are published builds.
type Deployments interface {
	Create(ctx context.Context, deployment core.Deployment) error
	ByID(ctx context.Context, id core.ID) (core.Deployment, error)
	// List returns a project's deployments, the newest first.
	List(ctx context.Context, project core.ID) ([]core.Deployment, error)
	// SetStatus changes the status of a deployment.
	SetStatus(ctx context.Context, id core.ID, status core.DeploymentStatus) error
	// Delete removes a deployment's record.
	Delete(ctx context.Context, id core.ID) error
	// CountSites returns how many projects have a live site: those with a deployment that
	// are not deleted.
	CountSites(ctx context.Context) (int, error)
}
