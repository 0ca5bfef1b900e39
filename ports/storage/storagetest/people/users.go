package people

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func userClauses() []clause {
	return []clause{
		{"a user comes back as it was stored", userComesBack},
		{"a user that is not there is not found", userNotFound},
		{"a service with a user has one", userAny},
		{"an address in use is taken", emailTaken},
		{"of parallel sign-ups with one address one succeeds", emailTakenInParallel},
		{"an id in use is a conflict", userIDInUse},
		{"an update stores what the change did", userUpdate},
		{"an update whose change fails returns its error and stores nothing", userUpdateRefused},
		{"an update cannot change id and createdAt", userUpdatePinned},
		{"parallel updates lose nothing", userUpdatesInParallel},
		{"text that no database can keep is refused and names nobody", userText},
		{"records go in and come out as copies", userCopies},
		{"a deleted user takes along what is theirs, and nothing of others", userDelete},
		{"a deleted user leaves projects, messages, invites and the log", userDeleteLeaves},
		{"nothing begins for a deleted user", userDeleteEnds},
		{"of parallel deleters of a user one succeeds", userDeleteInParallel},
		{"of two owners who leave at once, each only beside another, one stays", lastOwnerStays},
	}
}

func userComesBack(s testCase) {
	full := core.User{
		ID: core.NewID(), Email: "ünï@example.com", DisplayName: new(`O'Hara "\ % _ ? 東京`), AvatarURL: new(""),
		EmailVerified: true, CreatedAt: s.Now(), PasswordHash: "$argon2id$v=19$?", CredentialVersion: 7,
	}
	for _, user := range []core.User{full, s.NewUser()} {
		s.Must(s.Users.Create(s.Context(), user))
		got, err := s.Users.ByID(s.Context(), user.ID)
		s.Want(got, err, user)
		got, err = s.Users.ByEmail(s.Context(), user.Email)
		s.Want(got, err, user)
	}
}

func userNotFound(s testCase) {
	s.User()
	_, err := s.Users.ByID(s.Context(), core.NewID())
	s.WantCode(err, core.CodeNotFound)
	_, err = s.Users.ByEmail(s.Context(), "nobody@example.com")
	s.WantCode(err, core.CodeNotFound)
	_, err = s.Users.Update(s.Context(), core.NewID(), func(*core.User) error {
		s.Error("change was called for a user that is not there")
		return nil
	})
	s.WantCode(err, core.CodeNotFound)
}

// userAny shares its store with other cases, so there may be users before.
func userAny(s testCase) {
	s.User()
	got, err := s.Users.Any(s.Context())
	s.Want(got, err, true)
}

func emailTaken(s testCase) {
	first, second := s.User(), s.User()
	again := s.NewUser()
	again.Email = first.Email
	s.WantCode(s.Users.Create(s.Context(), again), core.CodeEmailTaken)
	_, err := s.Users.ByID(s.Context(), again.ID)
	s.WantCode(err, core.CodeNotFound)
	_, err = s.Users.Update(s.Context(), second.ID, func(user *core.User) error {
		user.Email, user.EmailVerified = first.Email, true
		return nil
	})
	s.WantCode(err, core.CodeEmailTaken)
	got, err := s.Users.ByID(s.Context(), second.ID)
	s.Want(got, err, second)
}

func emailTakenInParallel(s testCase) {
	var created atomic.Int32
	users := make([]core.User, 16)
	for i := range users {
		users[i] = s.NewUser()
		users[i].Email = "one@example.com"
	}
	fixture.Together(len(users), func(i int) {
		err := s.Users.Create(s.Context(), users[i])
		if err == nil {
			created.Add(1)
		} else {
			s.WantCode(err, core.CodeEmailTaken)
		}
	})
	if created.Load() != 1 {
		s.Errorf("got %d users with one address, want 1", created.Load())
	}
}

func userIDInUse(s testCase) {
	user := s.User()
	again := s.NewUser()
	again.ID = user.ID
	s.WantCode(s.Users.Create(s.Context(), again), core.CodeConflict)
	got, err := s.Users.ByID(s.Context(), user.ID)
	s.Want(got, err, user)
}

func userUpdate(s testCase) {
	user, other := s.User(), s.User()
	want := user
	want.DisplayName, want.Email, want.CredentialVersion = new("Ada"), "ada@example.com", 3
	got, err := s.Users.Update(s.Context(), user.ID, func(stored *core.User) error {
		s.Want(*stored, nil, user)
		*stored = want
		return nil
	})
	s.Want(got, err, want)
	got, err = s.Users.ByEmail(s.Context(), "ada@example.com")
	s.Want(got, err, want)
	got, err = s.Users.ByID(s.Context(), other.ID)
	s.Want(got, err, other)
}

func userUpdateRefused(s testCase) {
	user := s.User()
	refused := errors.New("no")
	got, err := s.Users.Update(s.Context(), user.ID, func(stored *core.User) error {
		stored.PasswordHash = "changed"
		return refused
	})
	if err != refused || got != (core.User{}) {
		s.Errorf("got %+v, %v, want no user and the change's own error", got, err)
	}
	got, err = s.Users.ByID(s.Context(), user.ID)
	s.Want(got, err, user)
}

func userUpdatePinned(s testCase) {
	user := s.User()
	got, err := s.Users.Update(s.Context(), user.ID, func(stored *core.User) error {
		stored.ID, stored.CreatedAt = core.NewID(), 1
		return nil
	})
	s.Want(got, err, user)
	got, err = s.Users.ByID(s.Context(), user.ID)
	s.Want(got, err, user)
}

func userUpdatesInParallel(s testCase) {
	user := s.User()
	fixture.Together(16, func(int) {
		_, err := s.Users.Update(s.Context(), user.ID, func(stored *core.User) error {
			stored.CredentialVersion++
			return nil
		})
		if err != nil {
			s.Errorf("got %v, want nil", err)
		}
	})
	user.CredentialVersion = 16
	got, err := s.Users.ByID(s.Context(), user.ID)
	s.Want(got, err, user)
}

func userText(s testCase) {
	stored := s.User()
	for _, text := range fixture.Unstorable() {
		user := s.NewUser()
		user.DisplayName = new(text)
		s.WantCode(s.Users.Create(s.Context(), user), core.CodeValidationFailed)
		_, err := s.Users.Update(s.Context(), stored.ID, func(user *core.User) error {
			user.PasswordHash = text
			return nil
		})
		s.WantCode(err, core.CodeValidationFailed)
		_, err = s.Users.ByID(s.Context(), core.ID(text))
		s.WantCode(err, core.CodeNotFound)
		_, err = s.Users.ByEmail(s.Context(), text)
		s.WantCode(err, core.CodeNotFound)
		_, err = s.Users.Update(s.Context(), core.ID(text), func(*core.User) error { return nil })
		s.WantCode(err, core.CodeNotFound)
	}
	got, err := s.Users.ByID(s.Context(), stored.ID)
	s.Want(got, err, stored)
}

func userCopies(s testCase) {
	user := s.NewUser()
	user.DisplayName = new("Ada")
	s.Must(s.Users.Create(s.Context(), user))
	*user.DisplayName = "changed by the caller of Create"
	first, err := s.Users.ByID(s.Context(), user.ID)
	s.Want(*first.DisplayName, err, "Ada")
	*first.DisplayName = "changed by the reader"
	updated, err := s.Users.Update(s.Context(), user.ID, func(*core.User) error { return nil })
	s.Want(*updated.DisplayName, err, "Ada")
	*updated.DisplayName = "changed by the caller of Update"
	last, err := s.Users.ByEmail(s.Context(), user.Email)
	s.Want(*last.DisplayName, err, "Ada")
}

// possessions counts what is a user's: sessions, tokens, identities, subscriptions and workspaces.
func possessions(s testCase, user core.ID) [5]int {
	s.Helper()
	var n [5]int
	sessions, err := s.Sessions.List(s.Context(), user)
	s.Must(err)
	tokens, err := s.APITokens.List(s.Context(), user)
	s.Must(err)
	identities, err := s.Identities.OfUser(s.Context(), user)
	s.Must(err)
	subscriptions, err := s.Subscriptions.List(s.Context(), user)
	s.Must(err)
	spaces, err := s.Workspaces.OfUser(s.Context(), user)
	s.Must(err)
	n[0], n[1], n[2], n[3], n[4] = len(sessions), len(tokens), len(identities), len(subscriptions), len(spaces)
	return n
}

// equipped is a user with one of everything, and the hash of their ticket.
func equipped(s testCase, workspace core.ID) (core.User, string) {
	s.Helper()
	user := s.Member(workspace, core.RoleOwner)
	s.signedIn(user.ID)
	s.token(user.ID)
	s.identity(user.ID)
	s.factor(user.ID)
	passkeyOf(s, user.ID)
	_, err := s.Subscriptions.Put(s.Context(), core.Subscription{
		ID: core.NewID(), Kind: core.SubscriptionGitHub, Name: "GitHub Models", UserID: user.ID, CreatedAt: s.Now(), UpdatedAt: s.Now(), SealedKey: []byte("key"),
	})
	s.Must(err)
	ticket := core.Ticket{Kind: core.TicketPasswordReset, Hash: core.HashSecret(core.NewSecret()), UserID: user.ID, ExpiresAt: s.Now() + 1000}
	s.Must(s.Tickets.Create(s.Context(), ticket))
	return user, ticket.Hash
}

// wantFactor checks whether a user has a second factor, and a passkey.
func wantFactor(s testCase, user core.ID, want core.Code) {
	s.Helper()
	if _, err := s.Factors.Of(s.Context(), user); core.CodeOf(err) != want {
		s.Errorf("got %v, want code %q", err, want)
	}
	got, err := s.Passkeys.OfUser(s.Context(), user)
	s.Want(len(got) == 1, err, want == "")
}

func userDelete(s testCase) {
	space := s.Workspace()
	gone, ticket := equipped(s, space.ID)
	stays, kept := equipped(s, space.ID)
	for _, id := range []core.ID{core.NewID(), "", core.ID(fixture.Unstorable()[0])} {
		s.WantCode(s.Users.Delete(s.Context(), id), core.CodeNotFound)
	}
	s.Want(possessions(s, gone.ID), nil, [5]int{1, 1, 1, 1, 1})
	s.Must(s.Users.Delete(s.Context(), gone.ID))
	s.Want(possessions(s, gone.ID), nil, [5]int{})
	_, err := s.Users.ByID(s.Context(), gone.ID)
	s.WantCode(err, core.CodeNotFound)
	_, err = s.Users.ByEmail(s.Context(), gone.Email)
	s.WantCode(err, core.CodeNotFound)
	_, err = s.Tickets.Take(s.Context(), core.TicketPasswordReset, ticket)
	s.WantCode(err, core.CodeNotFound)
	wantFactor(s, gone.ID, core.CodeNotFound)
	s.Want(possessions(s, stays.ID), nil, [5]int{1, 1, 1, 1, 1})
	wantFactor(s, stays.ID, "")
	_, err = s.Tickets.Take(s.Context(), core.TicketPasswordReset, kept)
	s.Must(err)
	members, err := s.Members.List(s.Context(), space.ID)
	s.Must(err)
	s.Want(len(members), nil, 1)
	s.WantCode(s.Users.Delete(s.Context(), gone.ID), core.CodeNotFound)
	again := s.NewUser()
	again.Email = gone.Email
	s.Must(s.Users.Create(s.Context(), again))
	s.Want(possessions(s, again.ID), nil, [5]int{})
}

func userDeleteLeaves(s testCase) {
	space := s.Workspace()
	user, other := s.Member(space.ID, core.RoleOwner), s.Member(space.ID, core.RoleMember)
	project := s.Project(space.ID, func(p *core.Project) { p.CreatedBy = user.ID })
	chat := s.NewChat(project.ID)
	s.Must(s.Chats.Create(s.Context(), chat))
	said, err := s.Events.Append(s.Context(), chat.ID, s.Now(), []core.Payload{core.UserMessage{Text: "hello", By: user.ID}})
	s.Must(err)
	invite := core.Invite{
		ID: core.NewID(), Email: "ada@example.com", Role: core.RoleMember, InvitedBy: user.ID, CreatedAt: s.Now(), ExpiresAt: s.Now() + 1000,
		WorkspaceID: space.ID, TokenHash: core.HashSecret(core.NewSecret()),
	}
	s.Must(s.Invites.Create(s.Context(), invite))
	entry := core.AuditEntry{
		ID: core.NewID(), Action: core.AuditSignIn, Actor: &core.AuditActor{UserID: user.ID, Email: user.Email}, CreatedAt: s.Now(), PersonID: user.ID,
	}
	s.Must(s.Audit.Append(s.Context(), []core.AuditEntry{entry}))
	s.Must(s.Users.Delete(s.Context(), user.ID))
	seen, standing, err := s.Projects.SeenBy(s.Context(), project.ID, other.ID)
	s.Want(seen, err, project)
	s.Want(standing, nil, core.Standing{Role: core.RoleMember})
	events, err := s.Events.Read(s.Context(), chat.ID, storage.EventRange{Limit: 10})
	s.Want(events, err, said)
	kept, err := s.Invites.ByID(s.Context(), invite.ID)
	s.Want(kept, err, invite)
	entries, err := s.Audit.OfPerson(s.Context(), user.ID, core.Page{Limit: 10})
	s.Want(entries, err, []core.AuditEntry{entry})
}

func userDeleteEnds(s testCase) {
	space, user := s.Workspace(), s.User()
	s.Must(s.Users.Delete(s.Context(), user.ID))
	s.WantCode(s.Sessions.Create(s.Context(), s.newSession(user.ID)), core.CodeNotFound)
	s.WantCode(s.APITokens.Create(s.Context(), s.newToken(user.ID)), core.CodeNotFound)
	s.WantCode(s.Identities.Create(s.Context(), s.newIdentity(user.ID)), core.CodeNotFound)
	s.WantCode(s.Workspaces.PutMember(s.Context(), core.Membership{WorkspaceID: space.ID, UserID: user.ID, Role: core.RoleOwner, JoinedAt: s.Now()}), core.CodeNotFound)
	_, err := s.Sessions.Standing(s.Context(), user.ID, core.NewID())
	s.WantCode(err, core.CodeNotFound)
}

func userDeleteInParallel(s testCase) {
	user, _ := equipped(s, s.Workspace().ID)
	s.OneOf(8, core.CodeNotFound, func(int) error { return s.Users.Delete(s.Context(), user.ID) })
	s.Want(possessions(s, user.ID), nil, [5]int{})
}

// lastOwnerStays deletes two owners in transactions that first look for another one. Deleting a
// user removes memberships by a foreign key, which must count for serializability as well.
func lastOwnerStays(s testCase) {
	for range 8 {
		space := s.Workspace()
		owners := []core.User{s.Member(space.ID, core.RoleOwner), s.Member(space.ID, core.RoleOwner)}
		s.OneOf(len(owners), core.CodeConflict, func(i int) error {
			return s.Store.InTx(s.Context(), func(ctx context.Context, tables storage.Tables) error {
				count, err := tables.Members.Owners(ctx, space.ID)
				if err != nil {
					return err
				}
				if count < 2 {
					return core.Errorf(core.CodeConflict, "this is the last one")
				}
				return tables.Users.Delete(ctx, owners[i].ID)
			})
		})
		left, err := s.Members.Owners(s.Context(), space.ID)
		s.Want(left, err, 1)
	}
}
