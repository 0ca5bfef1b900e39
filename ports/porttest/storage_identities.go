package porttest

import "github.com/atelierhq/atelier/core"

func storageIdentityClauses() []storageClause {
	return []storageClause{
		{"an identity comes back as it was stored", identityComesBack},
		{"an identity that is not there is not found", identityNotFound},
		{"a provider and subject that are joined already are a conflict", identityInUse},
		{"of parallel joins of one identity one succeeds", identityInParallel},
		{"subjects are compared byte by byte", identitySubjects},
		{"a user's identities come the oldest first", identitiesOfUser},
		{"an identity belongs to a user", identityOfNothing},
		{"deleting a user's identities leaves those of others", identitiesDelete},
		{"an identity's text is storable", identityText},
	}
}

func (s *storageCase) newIdentity(user core.ID) core.Identity {
	return core.Identity{Provider: core.IdentityGitHub, Subject: string(core.NewID()), UserID: user, CreatedAt: s.now()}
}

func (s *storageCase) identity(user core.ID) core.Identity {
	s.Helper()
	identity := s.newIdentity(user)
	s.must(s.Identities.Create(s.Context(), identity))
	return identity
}

func identityComesBack(s *storageCase) {
	user := s.user()
	plain, odd := s.newIdentity(user.ID), s.newIdentity(user.ID)
	odd.Provider, odd.Subject = core.IdentityGoogle, `O'Hara "\ % _ ? 東京`
	for _, identity := range []core.Identity{plain, odd} {
		s.must(s.Identities.Create(s.Context(), identity))
		got, err := s.Identities.Find(s.Context(), identity.Provider, identity.Subject)
		s.want(got, err, identity)
	}
}

func identityNotFound(s *storageCase) {
	identity := s.identity(s.user().ID)
	for _, key := range []core.Identity{
		{Provider: core.IdentityGoogle, Subject: identity.Subject},
		{Provider: identity.Provider, Subject: string(core.NewID())},
		{Provider: identity.Provider},
		{Provider: identity.Provider, Subject: unstorable[0]},
		{Provider: core.IdentityProvider(unstorable[1]), Subject: identity.Subject},
	} {
		_, err := s.Identities.Find(s.Context(), key.Provider, key.Subject)
		s.wantCode(err, core.CodeNotFound)
	}
}

func identityInUse(s *storageCase) {
	user, other := s.user(), s.user()
	identity := s.identity(user.ID)
	for _, by := range []core.ID{user.ID, other.ID} {
		again := identity
		again.UserID, again.CreatedAt = by, s.now()
		s.wantCode(s.Identities.Create(s.Context(), again), core.CodeConflict)
	}
	got, err := s.Identities.Find(s.Context(), identity.Provider, identity.Subject)
	s.want(got, err, identity)
	elsewhere := identity
	elsewhere.Provider, elsewhere.UserID = core.IdentityGoogle, other.ID
	s.must(s.Identities.Create(s.Context(), elsewhere))
	got, err = s.Identities.Find(s.Context(), identity.Provider, identity.Subject)
	s.want(got, err, identity)
}

func identityInParallel(s *storageCase) {
	identities := make([]core.Identity, 16)
	for i := range identities {
		identities[i] = s.newIdentity(s.user().ID)
		identities[i].Subject = "1234"
	}
	winner := s.oneOf(len(identities), core.CodeConflict, func(i int) error {
		return s.Identities.Create(s.Context(), identities[i])
	})
	got, err := s.Identities.Find(s.Context(), core.IdentityGitHub, "1234")
	s.want(got, err, identities[winner])
}

func identitySubjects(s *storageCase) {
	subjects := []string{"ada", "Ada", "ada ", " ada", "ad", "adä", "ada\u0308", "1", "01", "1.0"}
	for _, subject := range subjects {
		_, err := s.Identities.Find(s.Context(), core.IdentityGitHub, subject)
		s.wantCode(err, core.CodeNotFound)
		identity := s.newIdentity(s.user().ID)
		identity.Subject = subject
		s.must(s.Identities.Create(s.Context(), identity))
		got, err := s.Identities.Find(s.Context(), core.IdentityGitHub, subject)
		s.want(got, err, identity)
	}
}

func identitiesOfUser(s *storageCase) {
	user, other := s.user(), s.user()
	at := s.now()
	want := []core.Identity{
		{Provider: core.IdentityGoogle, Subject: "z", CreatedAt: 1},
		{Provider: core.IdentityGitHub, Subject: "B", CreatedAt: at},
		{Provider: core.IdentityGitHub, Subject: "a", CreatedAt: at},
		{Provider: core.IdentityGoogle, Subject: "A", CreatedAt: at},
		{Provider: core.IdentityGitHub, Subject: "A", CreatedAt: at + 1},
	}
	for _, i := range []int{3, 0, 4, 2, 1} {
		want[i].UserID = user.ID
		s.must(s.Identities.Create(s.Context(), want[i]))
	}
	foreign := s.identity(other.ID)
	got, err := s.Identities.OfUser(s.Context(), user.ID)
	s.want(got, err, want)
	got, err = s.Identities.OfUser(s.Context(), other.ID)
	s.want(got, err, []core.Identity{foreign})
	for _, id := range []core.ID{core.NewID(), "", core.ID(unstorable[0])} {
		got, err = s.Identities.OfUser(s.Context(), id)
		s.want(len(got), err, 0)
	}
}

func identityOfNothing(s *storageCase) {
	for _, user := range []core.ID{core.NewID(), ""} {
		identity := s.newIdentity(user)
		s.wantCode(s.Identities.Create(s.Context(), identity), core.CodeNotFound)
		_, err := s.Identities.Find(s.Context(), identity.Provider, identity.Subject)
		s.wantCode(err, core.CodeNotFound)
	}
}

func identitiesDelete(s *storageCase) {
	user, other := s.user(), s.user()
	first, kept := s.identity(user.ID), s.identity(other.ID)
	s.identity(user.ID)
	for _, id := range []core.ID{core.NewID(), "", core.ID(unstorable[0])} {
		s.must(s.Identities.DeleteOf(s.Context(), id))
	}
	there, err := s.Identities.OfUser(s.Context(), user.ID)
	s.want(len(there), err, 2)
	for range 2 {
		s.must(s.Identities.DeleteOf(s.Context(), user.ID))
		there, err = s.Identities.OfUser(s.Context(), user.ID)
		s.want(len(there), err, 0)
	}
	got, err := s.Identities.Find(s.Context(), kept.Provider, kept.Subject)
	s.want(got, err, kept)
	first.UserID = other.ID
	s.must(s.Identities.Create(s.Context(), first))
}

func identityText(s *storageCase) {
	for _, text := range unstorable {
		for _, alter := range []func(*core.Identity){
			func(i *core.Identity) { i.Provider = core.IdentityProvider(text) },
			func(i *core.Identity) { i.Subject = text },
			func(i *core.Identity) { i.UserID = core.ID(text) },
		} {
			identity := s.newIdentity(s.user().ID)
			alter(&identity)
			s.wantCode(s.Identities.Create(s.Context(), identity), core.CodeValidationFailed)
		}
	}
}
