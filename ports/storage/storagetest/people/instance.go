package people

import (
	"errors"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func instanceClauses() []clause {
	return []clause{
		{"the settings of the installation come back as they were stored", settingsComeBack},
		{"a refused change of the settings changes nothing", settingsRefused},
		{"parallel changes of the settings lose nothing", settingsInParallel},
		{"the latest backup comes back as it was stored, and a refused change changes nothing", lastBackupComesBack},
		{"an invitation to the installation comes back by its id, address and secrets", instanceInviteComesBack},
		{"an invitation to the installation takes the place of the earlier one to its address", instanceInviteReplaced},
		{"invitations to the installation with a hash or id in use are a conflict", instanceInviteInUse},
		{"invitations to the installation are deleted and pruned", instanceInvitesEnd},
		{"the roster lists accounts newest first, with their sessions and workspaces", rosterList},
		{"the roster finds accounts by parts of address and name", rosterQuery},
		{"the roster lists workspaces newest first, with what they use and their first owner", rosterWorkspaces},
		{"the roster finds workspaces by parts of name, slug and owner's address", rosterWorkspaceQuery},
		{"of projects made at once, only as many get in as a check of their number allows", projectsUpToANumber},
		{"of members who join at once, only as many get in as a check of their number allows", membersUpToANumber},
		{"the admins are counted as their roles say", rosterAdmins},
	}
}

func settingsComeBack(s testCase) {
	want := core.InstanceSettings{
		Signup: core.SignupDomains, SignupDomains: []string{"example.com"}, CreditLimit: new(2.5), Announcement: "O'Hara \"<b>\" 東京",
		Quotas: core.WorkspaceQuotas{Projects: 7, Bytes: 1 << 50},
	}
	got, err := s.InstanceSettings.Update(s.Context(), func(settings *core.InstanceSettings) error {
		*settings = want
		return nil
	})
	s.Want(got, err, want)
	got, err = s.InstanceSettings.Get(s.Context())
	s.Want(got, err, want)
	got.SignupDomains[0], *got.CreditLimit = "changed by the reader", 9
	got, err = s.InstanceSettings.Get(s.Context())
	s.Want(got, err, want)
}

func lastBackupComesBack(s testCase) {
	want := core.BackupRun{StartedAt: 5, EndedAt: 7, SeenAt: 6, Name: "atelier.tar.gz", Failure: "O'Hara 東京"}
	got, err := s.LastBackup.Update(s.Context(), func(run *core.BackupRun) error {
		*run = want
		return nil
	})
	s.Want(got, err, want)
	refused := errors.New("no")
	if _, err := s.LastBackup.Update(s.Context(), func(run *core.BackupRun) error {
		run.Name = "changed"
		return refused
	}); err != refused {
		s.Errorf("got %v, want the change's own error", err)
	}
	got, err = s.LastBackup.Get(s.Context())
	s.Want(got, err, want)
}

func settingsRefused(s testCase) {
	before, err := s.InstanceSettings.Get(s.Context())
	s.Must(err)
	refused := errors.New("no")
	if _, err := s.InstanceSettings.Update(s.Context(), func(settings *core.InstanceSettings) error {
		settings.Announcement = "changed"
		return refused
	}); err != refused {
		s.Errorf("got %v, want the change's own error", err)
	}
	for _, text := range fixture.Unstorable() {
		_, err := s.InstanceSettings.Update(s.Context(), func(settings *core.InstanceSettings) error {
			settings.Announcement = text
			return nil
		})
		s.WantCode(err, core.CodeValidationFailed)
	}
	got, err := s.InstanceSettings.Get(s.Context())
	s.Want(got, err, before)
}

func settingsInParallel(s testCase) {
	before, err := s.InstanceSettings.Get(s.Context())
	s.Must(err)
	fixture.Together(16, func(int) {
		_, err := s.InstanceSettings.Update(s.Context(), func(settings *core.InstanceSettings) error {
			settings.Announcement += "x"
			return nil
		})
		if err != nil {
			s.Errorf("got %v, want nil", err)
		}
	})
	got, err := s.InstanceSettings.Get(s.Context())
	s.Want(len(got.Announcement), err, len(before.Announcement)+16)
}

func (s testCase) newInstanceInvite() core.InstanceInvite {
	id := core.NewID()
	return core.InstanceInvite{
		ID: id, Email: string(id) + "@example.com", InvitedBy: core.NewID(), CreatedAt: s.Now(), ExpiresAt: s.Now() + 1000,
		TokenHash: core.HashSecret(core.NewSecret()), LinkHash: core.HashSecret(core.NewSecret()),
	}
}

func (s testCase) instanceInvite() core.InstanceInvite {
	s.Helper()
	invite := s.newInstanceInvite()
	s.Must(s.InstanceInvites.Create(s.Context(), invite))
	return invite
}

func instanceInviteComesBack(s testCase) {
	first, second := s.instanceInvite(), s.instanceInvite()
	for _, invite := range []core.InstanceInvite{first, second} {
		got, err := s.InstanceInvites.ByID(s.Context(), invite.ID)
		s.Want(got, err, invite)
		got, err = s.InstanceInvites.ByEmail(s.Context(), invite.Email)
		s.Want(got, err, invite)
		for _, hash := range []string{invite.TokenHash, invite.LinkHash} {
			got, err = s.InstanceInvites.ByHash(s.Context(), hash)
			s.Want(got, err, invite)
		}
	}
	_, err := s.InstanceInvites.ByHash(s.Context(), core.HashSecret("other"))
	s.WantCode(err, core.CodeNotFound)
	_, err = s.InstanceInvites.ByEmail(s.Context(), "nobody@example.com")
	s.WantCode(err, core.CodeNotFound)
	for _, text := range fixture.Unstorable() {
		invite := s.newInstanceInvite()
		invite.Email = text
		s.WantCode(s.InstanceInvites.Create(s.Context(), invite), core.CodeValidationFailed)
	}
}

func instanceInviteReplaced(s testCase) {
	first := s.instanceInvite()
	again := s.newInstanceInvite()
	again.Email = first.Email
	s.Must(s.InstanceInvites.Create(s.Context(), again))
	got, err := s.InstanceInvites.ByEmail(s.Context(), first.Email)
	s.Want(got, err, again)
	_, err = s.InstanceInvites.ByHash(s.Context(), first.TokenHash)
	s.WantCode(err, core.CodeNotFound)
	_, err = s.InstanceInvites.ByID(s.Context(), first.ID)
	s.WantCode(err, core.CodeNotFound)
}

func instanceInviteInUse(s testCase) {
	first := s.instanceInvite()
	for _, alter := range []func(*core.InstanceInvite){
		func(i *core.InstanceInvite) { i.ID = first.ID },
		func(i *core.InstanceInvite) { i.TokenHash = first.TokenHash },
		func(i *core.InstanceInvite) { i.LinkHash = first.LinkHash },
	} {
		invite := s.newInstanceInvite()
		alter(&invite)
		s.WantCode(s.InstanceInvites.Create(s.Context(), invite), core.CodeConflict)
	}
	got, err := s.InstanceInvites.ByID(s.Context(), first.ID)
	s.Want(got, err, first)
}

func instanceInvitesEnd(s testCase) {
	kept, lapsed, deleted := s.instanceInvite(), s.newInstanceInvite(), s.instanceInvite()
	lapsed.ExpiresAt = 5
	s.Must(s.InstanceInvites.Create(s.Context(), lapsed))
	s.Must(s.InstanceInvites.Delete(s.Context(), deleted.ID))
	s.WantCode(s.InstanceInvites.Delete(s.Context(), deleted.ID), core.CodeNotFound)
	s.Must(s.InstanceInvites.Prune(s.Context(), 6))
	listed, err := s.InstanceInvites.List(s.Context())
	s.Must(err)
	has := func(id core.ID) bool {
		return slices.ContainsFunc(listed, func(i core.InstanceInvite) bool { return i.ID == id })
	}
	if !has(kept.ID) || has(lapsed.ID) || has(deleted.ID) {
		s.Errorf("got %v, want the one that neither lapsed nor was deleted", listed)
	}
	if !slices.IsSortedFunc(listed, func(a, b core.InstanceInvite) int { return int(a.CreatedAt - b.CreatedAt) }) {
		s.Errorf("got %v, want the oldest first", listed)
	}
}

// rosterOf lists the accounts of which the address or name contains a word of this case's own.
func (s testCase) rosterOf(word string, page core.Page) []core.Person {
	s.Helper()
	people, err := s.Roster.List(s.Context(), word, page)
	s.Must(err)
	return people
}

func rosterList(s testCase) {
	word := strings.ToLower(string(core.NewID()))
	var users []core.User
	for _, name := range []string{"a", "b", "c"} {
		user := s.NewUser()
		user.Email = name + word + "@example.com"
		s.Must(s.Users.Create(s.Context(), user))
		users = append(users, user)
	}
	for _, seen := range []core.Time{30, 20} {
		session := core.Session{ID: core.NewID(), UserID: users[0].ID, TokenID: core.NewID(), CreatedAt: 1, LastSeenAt: seen, ExpiresAt: 99}
		s.Must(s.Sessions.Create(s.Context(), session))
	}
	space := s.Workspace()
	s.Must(s.Workspaces.PutMember(s.Context(), core.Membership{WorkspaceID: space.ID, UserID: users[0].ID, Role: core.RoleMember, JoinedAt: 1}))
	s.factor(users[0].ID)
	s.Must(s.Factors.Put(s.Context(), core.Factor{UserID: users[1].ID, SealedPending: []byte("x"), PendingUntil: s.Now()}))
	s.Must(s.Factors.Put(s.Context(), core.Factor{UserID: users[2].ID, Passkeys: 1}))
	want := []core.Person{{User: users[2], SecondFactor: true}, {User: users[1]}, {User: users[0], LastSeenAt: 30, Workspaces: 1, SecondFactor: true}}
	s.Want(s.rosterOf(word, core.Page{Limit: 10}), nil, want)
	s.Want(s.rosterOf(word, core.Page{Limit: 2}), nil, want[:2])
	s.Want(s.rosterOf(word, core.Page{Limit: 2, Before: &core.Position{CreatedAt: users[1].CreatedAt, ID: users[1].ID}}), nil, want[2:])
	s.Want(len(s.rosterOf(word, core.Page{})), nil, 0)
}

func rosterQuery(s testCase) {
	user := s.NewUser()
	user.DisplayName = new("Ada 100% Lovelace_" + string(user.ID))
	s.Must(s.Users.Create(s.Context(), user))
	for _, query := range []string{"ada 100% lovelace_" + string(user.ID), "LOVELACE_" + strings.ToUpper(string(user.ID)), user.Email} {
		s.Want(fixture.IDsOf(s.rosterOf(query, core.Page{Limit: 5}), func(p core.Person) core.ID { return p.ID }), nil, []core.ID{user.ID})
	}
	for _, query := range append(fixture.Unstorable(), "ada 100_ lovelace%"+string(user.ID)) {
		s.Want(len(s.rosterOf(query, core.Page{Limit: 5})), nil, 0)
	}
}

func rosterAdmins(s testCase) {
	count := func(named ...string) int {
		got, err := s.Roster.Admins(s.Context(), named)
		s.Must(err)
		return got
	}
	before := count()
	admin, disabled, proven, claimed := s.NewUser(), s.NewUser(), s.NewUser(), s.NewUser()
	admin.Admin, proven.EmailVerified = true, true
	disabled.Admin, disabled.DisabledAt = true, 7
	for _, user := range []core.User{admin, disabled, proven, claimed} {
		s.Must(s.Users.Create(s.Context(), user))
		got, err := s.Users.ByID(s.Context(), user.ID)
		s.Want(got, err, user)
	}
	s.Want(count()-before, nil, 1)
	s.Want(count(proven.Email, claimed.Email, disabled.Email, admin.Email)-before, nil, 2)
}
