package porttest

import (
	"context"
	"reflect"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// TestStorage holds a storage.Store to its port. open returns an empty store for
// one subtest, and closes it when that ends.
func TestStorage(t *testing.T, open func(t *testing.T) storage.Store) {
	for _, group := range [][]storageClause{
		storageUserClauses(), storageWorkspaceClauses(), storageFolderClauses(), storageProjectClauses(),
		storageListClauses(), storageSearchClauses(), storageFileClauses(), storageEditClauses(), storageChatClauses(),
		storageEventClauses(), storageRunClauses(), storageAttachmentClauses(), storageCopyClauses(), storageProviderClauses(), storageUsageClauses(),
		storageDeploymentClauses(), storageEnvironmentClauses(), storageThumbnailClauses(), storageDomainClauses(), storageRoomClauses(), storageSlugHoldClauses(), storageTxClauses(), storageCallClauses(),
		storageModeClauses(), storageMailClauses(), storageAuditClauses(), storageCreditClauses(), storageSpendingClauses(), storagePeopleClauses(),
	} {
		for _, clause := range group {
			t.Run(clause.says, func(t *testing.T) {
				store := open(t)
				clause.test(&storageCase{T: t, store: store, Tables: store.Tables(), clock: 1_700_000_000_000})
			})
		}
	}
}

// storageClause is a sentence of the port and what proves it.
type storageClause struct {
	says string
	test func(s *storageCase)
}

// storageCase is one subtest: a store and the means to fill it. Its clock goes on
// by a millisecond with every record.
type storageCase struct {
	*testing.T
	storage.Tables
	store storage.Store
	clock core.Time
}

func (s *storageCase) now() core.Time {
	s.clock++
	return s.clock
}

func (s *storageCase) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatalf("got %v, want nil", err)
	}
}

// want holds what a call returned besides its error to the expectation.
func (s *storageCase) want(got any, err error, want any) {
	s.Helper()
	if err != nil || !reflect.DeepEqual(got, want) {
		s.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

func (s *storageCase) wantCode(err error, code core.Code) {
	s.Helper()
	if !core.IsCode(err, code) {
		s.Errorf("got %v, want code %s", err, code)
	}
}

// together runs do n times at once and waits.
func together(n int, do func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

// idsOf lists ids in the order of the records.
func idsOf[R any](records []R, id func(R) core.ID) []core.ID {
	ids := []core.ID{}
	for _, record := range records {
		ids = append(ids, id(record))
	}
	return ids
}

// unstorable is text that some database cannot keep.
var unstorable = []string{"a\x00b", "a\xffb"}

func (s *storageCase) newUser() core.User {
	id := core.NewID()
	return core.User{ID: id, Email: string(id) + "@example.com", CreatedAt: s.now()}
}

func (s *storageCase) user() core.User {
	s.Helper()
	user := s.newUser()
	s.must(s.Users.Create(s.Context(), user))
	return user
}

func (s *storageCase) newWorkspace() core.Workspace {
	at := s.now()
	return core.Workspace{ID: core.NewID(), Name: "Team", Slug: "team", CreatedAt: at, UpdatedAt: at}
}

func (s *storageCase) workspace() core.Workspace {
	s.Helper()
	workspace := s.newWorkspace()
	s.must(s.Workspaces.Create(s.Context(), workspace))
	return workspace
}

// member makes a user with a role in the workspace.
func (s *storageCase) member(workspace core.ID, role core.Role) core.User {
	s.Helper()
	user := s.user()
	s.join(workspace, user.ID, role)
	return user
}

func (s *storageCase) join(workspace, user core.ID, role core.Role) {
	s.Helper()
	s.must(s.Workspaces.PutMember(s.Context(), core.Membership{
		WorkspaceID: workspace, UserID: user, Role: role, JoinedAt: s.now(),
	}))
}

func (s *storageCase) newFolder(workspace core.ID) core.Folder {
	at := s.now()
	return core.Folder{ID: core.NewID(), WorkspaceID: workspace, Name: "Clients", CreatedAt: at, UpdatedAt: at}
}

func (s *storageCase) newProject(workspace core.ID) core.Project {
	at, id := s.now(), core.NewID()
	return core.Project{
		ID: id, WorkspaceID: workspace, Slug: string(id), Name: "Shop",
		Visibility: core.VisibilityWorkspace, CreatedAt: at, UpdatedAt: at, CreatedBy: core.NewID(),
	}
}

// project makes a project, altered before it is stored.
func (s *storageCase) project(workspace core.ID, alter ...func(*core.Project)) core.Project {
	s.Helper()
	project := s.newProject(workspace)
	for _, alter := range alter {
		alter(&project)
	}
	s.must(s.Projects.Create(s.Context(), project))
	return project
}

func (s *storageCase) newChat(project core.ID) core.Chat {
	at := s.now()
	return core.Chat{ID: core.NewID(), ProjectID: project, Title: "Chat", Mode: core.ModeBuild, CreatedAt: at, UpdatedAt: at}
}

func (s *storageCase) chat() core.Chat {
	s.Helper()
	chat := s.newChat(s.project(s.workspace().ID).ID)
	s.must(s.Chats.Create(s.Context(), chat))
	return chat
}

func (s *storageCase) newRun(chat core.ID) core.Run {
	return core.Run{
		ID: core.NewID(), ChatID: chat, ProjectID: core.NewID(), WorkspaceID: core.NewID(), UserID: core.NewID(),
		Status: core.RunQueued, Text: "build a shop", CreatedAt: s.now(),
	}
}

func (s *storageCase) run(chat core.ID, status core.RunStatus) core.Run {
	s.Helper()
	run := s.newRun(chat)
	run.Status = status
	s.must(s.Runs.Create(s.Context(), run))
	return run
}

func (s *storageCase) newProvider(workspace core.ID) core.Provider {
	at := s.now()
	return core.Provider{
		ID: core.NewID(), WorkspaceID: workspace, Kind: core.ProviderOllama, Name: "Local", CreatedAt: at, UpdatedAt: at,
	}
}

func (s *storageCase) newDeployment(project core.ID) core.Deployment {
	return core.Deployment{
		ID: core.NewID(), ProjectID: project, URL: "https://shop.example.com", Slug: "shop",
		Status: core.DeploymentLive, CreatedAt: s.now(), By: core.NewID(), Bytes: 42, VersionID: "c0ffee", Title: "A 'title'",
	}
}

// ended is a context that has ended already.
func (s *storageCase) ended() context.Context {
	ctx, cancel := context.WithCancel(s.Context())
	cancel()
	return ctx
}
