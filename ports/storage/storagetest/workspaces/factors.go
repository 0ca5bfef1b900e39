package workspaces

import (
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// requiring returns a workspace that requires a second factor.
func requiring(s testCase) core.Workspace {
	home := s.Workspace()
	home, err := s.Workspaces.Update(s.Context(), home.ID, func(w *core.Workspace) error {
		w.RequireMFA = true
		return nil
	})
	s.Must(err)
	return home
}

// factors are second factors, and whether they are in force.
func factors(now core.Time) map[string]struct {
	Factor core.Factor
	On     bool
} {
	type factor = struct {
		Factor core.Factor
		On     bool
	}
	return map[string]factor{
		"an app":                       {core.Factor{SealedSecret: []byte("x"), ConfirmedAt: now}, true},
		"a passkey":                    {core.Factor{Passkeys: 1}, true},
		"an app to be confirmed":       {core.Factor{SealedPending: []byte("x"), PendingUntil: now}, false},
		"recovery codes that are left": {core.Factor{RecoveryHashes: []string{"x"}}, false},
	}
}

func lackingFactor(s testCase) {
	home, free := requiring(s), s.Workspace()
	project, other := s.Project(home.ID), s.Project(free.ID)
	stranger := s.User()
	check := func(user core.ID, inHome, inFree core.Standing) {
		_, standing, err := s.Workspaces.SeenBy(s.Context(), home.ID, user)
		s.Want(standing, err, inHome)
		_, standing, err = s.Workspaces.SeenBy(s.Context(), free.ID, user)
		s.Want(standing, err, inFree)
		for id, want := range map[core.ID]core.Standing{project.ID: inHome, other.ID: inFree} {
			_, standing, err := s.Projects.SeenBy(s.Context(), id, user)
			s.Want(standing, err, want)
			seen, err := s.Files.SeenBy(s.Context(), id, user)
			s.Want(seen.Standing, err, want)
			on, err := s.Users.OnProject(s.Context(), user, id)
			s.Want(on.Standing, err, want)
		}
	}
	check(stranger.ID, core.Standing{}, core.Standing{})
	member := s.Member(home.ID, core.RoleAdmin)
	s.Join(free.ID, member.ID, core.RoleMember)
	secured := func() bool {
		found, err := s.Members.ByID(s.Context(), home.ID, member.ID)
		s.Must(err)
		return *found.SecondFactor
	}
	check(member.ID, core.Standing{Role: core.RoleAdmin, LacksFactor: true}, core.Standing{Role: core.RoleMember})
	s.Want(secured(), nil, false)
	for _, has := range factors(s.Now()) {
		has.Factor.UserID = member.ID
		s.Must(s.Factors.Put(s.Context(), has.Factor))
		check(member.ID, core.Standing{Role: core.RoleAdmin, LacksFactor: !has.On}, core.Standing{Role: core.RoleMember})
		s.Want(secured(), nil, has.On)
	}
}

func lackingFactorInLists(s testCase) {
	home, free := requiring(s), s.Workspace()
	project, other := s.Project(home.ID), s.Project(free.ID)
	member := s.Member(home.ID, core.RoleOwner)
	s.Join(free.ID, member.ID, core.RoleOwner)
	listed := func(filter storage.ProjectFilter, page core.Page) map[core.ID]bool {
		filter.Member = member.ID
		found, err := s.Projects.List(s.Context(), filter, page)
		s.Must(err)
		ids := map[core.ID]bool{}
		for _, project := range found {
			ids[project.ID] = true
		}
		return ids
	}
	start := core.Page{Limit: 10}
	later := core.Page{Limit: 10, Before: &core.Position{CreatedAt: s.Now().Add(1 << 40), ID: core.NewID()}}
	check := func(seen bool) {
		for _, page := range []core.Page{start, later} {
			s.Want(listed(storage.ProjectFilter{}, page), nil, without(project.ID, !seen, project.ID, other.ID))
			s.Want(listed(storage.ProjectFilter{Copies: true}, page), nil, without(project.ID, !seen, project.ID, other.ID))
			s.Want(listed(storage.ProjectFilter{Workspace: home.ID}, page), nil, without(project.ID, !seen, project.ID))
			s.Want(listed(storage.ProjectFilter{AnyFactor: true}, page), nil, without("", false, project.ID, other.ID))
			s.Want(listed(storage.ProjectFilter{AnyFactor: true, Workspace: home.ID}, page), nil, without("", false, project.ID))
		}
	}
	check(false)
	s.Must(s.Factors.Put(s.Context(), core.Factor{UserID: member.ID, Passkeys: 1}))
	check(true)
}

// without returns the ids, perhaps all but one.
func without(one core.ID, left bool, ids ...core.ID) map[core.ID]bool {
	set := map[core.ID]bool{}
	for _, id := range ids {
		if !left || id != one {
			set[id] = true
		}
	}
	return set
}
