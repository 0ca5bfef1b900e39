package people

import (
	"context"
	"reflect"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func programClauses() []clause {
	return []clause{
		{"a program comes back as it was registered", programComesBack},
		{"the use of a program is noted unless a later one is", programUse},
		{"unused programs are counted, and go before used ones", programPrune},
		{"a grant comes back by either hash, and goes with its user", programGrantComesBack},
		{"a grant's hashes in use are a conflict", grantInUse},
		{"an update of a grant keeps what cannot change", grantUpdate},
		{"nobody deletes the grant of another user", grantDelete},
		{"of parallel users of one code one succeeds", grantOnce},
		{"grants that expired are pruned", grantPrune},
		{"the text of programs is storable", programText},
		{"grants go in and come out as copies", grantCopies},
	}
}

func newProgram(s testCase) core.ProgramClient {
	return core.ProgramClient{ID: core.NewID(), Name: `Code "1" 🎉`, Redirects: []string{"http://127.0.0.1/callback", "https://a.example/b?c=d"}, CreatedAt: s.Now()}
}

func newGrant(s testCase, user core.ID) core.ProgramGrant {
	return core.ProgramGrant{
		ID: core.NewID(), UserID: user, SessionID: core.NewID(), CredentialVersion: 3, ClientID: "https://a.example/client.json", Name: "Code", Host: "a.example",
		Redirect: "http://127.0.0.1:9/callback", Challenge: "challenge", Resource: "https://b.example/mcp", Scopes: []core.Scope{core.ScopeChat, core.ScopePublish},
		FamilyHash: core.NewSecret(), CodeHash: core.NewSecret(), RefreshHash: "r", AccessHash: core.NewSecret(), AccessExpiresAt: 5, ExpiresAt: 6, CreatedAt: s.Now(), LastUsedAt: 7,
	}
}

func grantOf(s testCase, user core.ID) core.ProgramGrant {
	s.Helper()
	grant := newGrant(s, user)
	s.Must(s.ProgramGrants.Create(s.Context(), grant))
	return grant
}

func programComesBack(s testCase) {
	want := newProgram(s)
	s.Must(s.ProgramClients.Create(s.Context(), want))
	got, err := s.ProgramClients.ByID(s.Context(), want.ID)
	s.Want(got, err, want)
	s.WantCode(s.ProgramClients.Create(s.Context(), want), core.CodeConflict)
	for _, id := range []core.ID{core.NewID(), "", core.ID(fixture.Unstorable()[0])} {
		_, err := s.ProgramClients.ByID(s.Context(), id)
		s.WantCode(err, core.CodeNotFound)
		s.WantCode(s.ProgramClients.Use(s.Context(), id, 1), core.CodeNotFound)
	}
}

func programUse(s testCase) {
	client := newProgram(s)
	s.Must(s.ProgramClients.Create(s.Context(), client))
	for _, step := range []struct{ at, want core.Time }{{100, 100}, {200, 200}, {199, 200}} {
		s.Must(s.ProgramClients.Use(s.Context(), client.ID, step.at))
		got, err := s.ProgramClients.ByID(s.Context(), client.ID)
		s.Want(got.UsedAt, err, step.want)
	}
}

func programPrune(s testCase) {
	made := map[string]core.ProgramClient{}
	for name, at := range map[string][2]core.Time{"old": {10, 0}, "new": {20, 0}, "old but used": {10, 30}, "used long ago": {5, 8}} {
		client := newProgram(s)
		client.CreatedAt, client.UsedAt = at[0], at[1]
		s.Must(s.ProgramClients.Create(s.Context(), client))
		made[name] = client
	}
	count, err := s.ProgramClients.Unused(s.Context())
	s.Want(count, err, 2)
	s.Must(s.ProgramClients.Prune(s.Context(), 20, 9))
	count, err = s.ProgramClients.Unused(s.Context())
	s.Want(count, err, 1)
	for name, client := range made {
		_, err := s.ProgramClients.ByID(s.Context(), client.ID)
		if gone := name == "old" || name == "used long ago"; core.IsCode(err, core.CodeNotFound) != gone {
			s.Errorf("%s: got %v, want it gone: %t", name, err, gone)
		}
	}
}

func programGrantComesBack(s testCase) {
	user := s.User()
	want := grantOf(s, user.ID)
	for _, hash := range []string{want.FamilyHash, want.AccessHash} {
		got, err := s.ProgramGrants.ByHash(s.Context(), hash)
		s.Want(got, err, want)
	}
	for _, hash := range []string{"", "r", want.CodeHash, core.NewSecret(), fixture.Unstorable()[0]} {
		_, err := s.ProgramGrants.ByHash(s.Context(), hash)
		s.WantCode(err, core.CodeNotFound)
	}
	s.WantCode(s.ProgramGrants.Create(s.Context(), newGrant(s, core.NewID())), core.CodeNotFound)
	s.Must(s.Users.Delete(s.Context(), user.ID))
	_, err := s.ProgramGrants.ByHash(s.Context(), want.FamilyHash)
	s.WantCode(err, core.CodeNotFound)
}

func grantInUse(s testCase) {
	user := s.User()
	first, second := grantOf(s, user.ID), grantOf(s, user.ID)
	for _, alter := range []func(*core.ProgramGrant){
		func(g *core.ProgramGrant) { g.ID = first.ID },
		func(g *core.ProgramGrant) { g.FamilyHash = first.FamilyHash },
		func(g *core.ProgramGrant) { g.AccessHash = first.AccessHash },
	} {
		grant := newGrant(s, s.User().ID)
		alter(&grant)
		s.WantCode(s.ProgramGrants.Create(s.Context(), grant), core.CodeConflict)
	}
	_, err := s.ProgramGrants.Update(s.Context(), second.ID, func(g *core.ProgramGrant) error {
		g.AccessHash = first.AccessHash
		return nil
	})
	s.WantCode(err, core.CodeConflict)
	got, err := s.ProgramGrants.List(s.Context(), user.ID)
	if err != nil || len(got) != 2 || !reflect.DeepEqual(got[0], first) && !reflect.DeepEqual(got[1], first) {
		s.Errorf("got %+v, %v, want both as they were", got, err)
	}
}

func grantUpdate(s testCase) {
	made := grantOf(s, s.User().ID)
	got, err := s.ProgramGrants.Update(s.Context(), made.ID, func(g *core.ProgramGrant) error {
		*g = core.ProgramGrant{ID: core.NewID(), UserID: core.NewID(), FamilyHash: "x", CreatedAt: 1, Scopes: []core.Scope{core.ScopeChat}, AccessHash: made.AccessHash + "2"}
		return nil
	})
	want := core.ProgramGrant{ID: made.ID, UserID: made.UserID, FamilyHash: made.FamilyHash, CreatedAt: made.CreatedAt, Scopes: []core.Scope{core.ScopeChat}, AccessHash: made.AccessHash + "2"}
	s.Want(got, err, want)
	refused := core.Errorf(core.CodeForbidden, "no")
	_, err = s.ProgramGrants.Update(s.Context(), made.ID, func(*core.ProgramGrant) error { return refused })
	s.WantCode(err, core.CodeForbidden)
	_, err = s.ProgramGrants.Update(s.Context(), core.NewID(), func(*core.ProgramGrant) error { return nil })
	s.WantCode(err, core.CodeNotFound)
}

func grantDelete(s testCase) {
	user, other := s.User(), s.User()
	doomed, kept := grantOf(s, user.ID), grantOf(s, user.ID)
	_, err := s.ProgramGrants.Delete(s.Context(), other.ID, doomed.ID)
	s.WantCode(err, core.CodeNotFound)
	got, err := s.ProgramGrants.Delete(s.Context(), user.ID, doomed.ID)
	s.Want(got, err, doomed)
	_, err = s.ProgramGrants.Delete(s.Context(), user.ID, doomed.ID)
	s.WantCode(err, core.CodeNotFound)
	theirs := grantOf(s, other.ID)
	s.Must(s.ProgramGrants.DeleteOf(s.Context(), user.ID))
	left, err := s.ProgramGrants.List(s.Context(), user.ID)
	s.Want(len(left), err, 0)
	_, err = s.ProgramGrants.ByHash(s.Context(), kept.FamilyHash)
	s.WantCode(err, core.CodeNotFound)
	list, err := s.ProgramGrants.List(s.Context(), other.ID)
	s.Want(list, err, []core.ProgramGrant{theirs})
}

func grantOnce(s testCase) {
	made := grantOf(s, s.User().ID)
	s.OneOf(8, core.CodeForbidden, func(int) error {
		_, err := s.ProgramGrants.Update(s.Context(), made.ID, func(g *core.ProgramGrant) error {
			if g.CodeHash == "" {
				return core.Errorf(core.CodeForbidden, "used")
			}
			g.CodeHash = ""
			return nil
		})
		return err
	})
}

func grantPrune(s testCase) {
	user := s.User()
	old, current := newGrant(s, user.ID), newGrant(s, user.ID)
	old.ExpiresAt, current.ExpiresAt = 99, 100
	s.Must(s.ProgramGrants.Create(s.Context(), old))
	s.Must(s.ProgramGrants.Create(s.Context(), current))
	s.Must(s.ProgramGrants.Prune(s.Context(), 100))
	got, err := s.ProgramGrants.List(s.Context(), user.ID)
	s.Want(got, err, []core.ProgramGrant{current})
	ended, cancel := context.WithCancel(s.Context())
	cancel()
	if err := s.ProgramGrants.Prune(ended, 100); err == nil {
		s.Error("got no error, want that of the context")
	}
}

func programText(s testCase) {
	for _, text := range fixture.Unstorable() {
		client, grant := newProgram(s), newGrant(s, s.User().ID)
		client.Redirects[1], grant.Name = text, text
		s.WantCode(s.ProgramClients.Create(s.Context(), client), core.CodeValidationFailed)
		s.WantCode(s.ProgramGrants.Create(s.Context(), grant), core.CodeValidationFailed)
	}
}

func grantCopies(s testCase) {
	grant := newGrant(s, s.User().ID)
	s.Must(s.ProgramGrants.Create(s.Context(), grant))
	grant.Scopes[0] = core.ScopeFilesRead
	for range 2 {
		got, err := s.ProgramGrants.ByHash(s.Context(), grant.FamilyHash)
		s.Want(got.Scopes, err, []core.Scope{core.ScopeChat, core.ScopePublish})
		got.Scopes[0] = core.ScopeFilesRead
	}
}
