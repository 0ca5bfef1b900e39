package people

import (
	"github.com/atelierhq/atelier/core"

	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func identityClauses() []clause {
	return []clause{
		{"an identity comes back as it was stored", identityComesBack},
		{"an identity that is not there is not found", identityNotFound},
		{"a provider and subject that are joined already are a conflict", identityInUse},
		{"of parallel joins of one identity one succeeds", identityInParallel},
		{"subjects are compared byte by byte", identitySubjects},
		{"a user's identities come the oldest first", identitiesOfUser},
		{"an identity belongs to a user", identityOfNothing},
		{"deleting a user's identities leaves those of others", identitiesDelete},
		{"deleting a user's identities at a provider leaves the others", identitiesDeleteAt},
		{"an identity's text is storable", identityText},
	}
}

func (s testCase) newIdentity(user core.ID) core.Identity {
	return core.Identity{Provider: core.IdentityGitHub, Subject: string(core.NewID()), UserID: user, CreatedAt: s.Now()}
}

func (s testCase) identity(user core.ID) core.Identity {
	s.Helper()
	identity := s.newIdentity(user)
	s.Must(s.Identities.Create(s.Context(), identity))
	return identity
}

func identitiesDeleteAt(s testCase) {
	user, other := s.User(), s.User()
	first, second, foreign := s.identity(user.ID), s.identity(user.ID), s.identity(other.ID)
	stays := s.newIdentity(user.ID)
	stays.Provider = core.IdentityGoogle
	s.Must(s.Identities.Create(s.Context(), stays))
	s.Must(s.Identities.DeleteAt(s.Context(), user.ID, core.IdentityGitHub))
	for _, gone := range []core.Identity{first, second} {
		_, err := s.Identities.Find(s.Context(), gone.Provider, gone.Subject)
		s.WantCode(err, core.CodeNotFound)
	}
	for _, left := range []core.Identity{stays, foreign} {
		got, err := s.Identities.Find(s.Context(), left.Provider, left.Subject)
		s.Want(got, err, left)
	}
	s.Must(s.Identities.DeleteAt(s.Context(), user.ID, core.IdentityGitHub))
}

func identityComesBack(s testCase) {
	user := s.User()
	plain, odd := s.newIdentity(user.ID), s.newIdentity(user.ID)
	odd.Provider, odd.Subject = core.IdentityGoogle, `O'Hara "\ % _ ? 東京`
	for _, identity := range []core.Identity{plain, odd} {
		s.Must(s.Identities.Create(s.Context(), identity))
		got, err := s.Identities.Find(s.Context(), identity.Provider, identity.Subject)
		s.Want(got, err, identity)
	}
}

func identityNotFound(s testCase) {
	identity := s.identity(s.User().ID)
	for _, key := range []core.Identity{
		{Provider: core.IdentityGoogle, Subject: identity.Subject},
		{Provider: identity.Provider, Subject: string(core.NewID())},
		{Provider: identity.Provider},
		{Provider: identity.Provider, Subject: fixture.Unstorable()[0]},
		{Provider: core.IdentityProvider(fixture.Unstorable()[1]), Subject: identity.Subject},
	} {
		_, err := s.Identities.Find(s.Context(), key.Provider, key.Subject)
		s.WantCode(err, core.CodeNotFound)
	}
}

func identityInUse(s testCase) {
	user, other := s.User(), s.User()
	identity := s.identity(user.ID)
	for _, by := range []core.ID{user.ID, other.ID} {
		again := identity
		again.UserID, again.CreatedAt = by, s.Now()
		s.WantCode(s.Identities.Create(s.Context(), again), core.CodeConflict)
	}
	got, err := s.Identities.Find(s.Context(), identity.Provider, identity.Subject)
	s.Want(got, err, identity)
	elsewhere := identity
	elsewhere.Provider, elsewhere.UserID = core.IdentityGoogle, other.ID
	s.Must(s.Identities.Create(s.Context(), elsewhere))
	got, err = s.Identities.Find(s.Context(), identity.Provider, identity.Subject)
	s.Want(got, err, identity)
}

func identityInParallel(s testCase) {
	identities := make([]core.Identity, 16)
	for i := range identities {
		identities[i] = s.newIdentity(s.User().ID)
		identities[i].Subject = "1234"
	}
	winner := s.OneOf(len(identities), core.CodeConflict, func(i int) error {
		return s.Identities.Create(s.Context(), identities[i])
	})
	got, err := s.Identities.Find(s.Context(), core.IdentityGitHub, "1234")
	s.Want(got, err, identities[winner])
}

func identitySubjects(s testCase) {
	subjects := []string{"ada", "Ada", "ada ", " ada", "ad", "adä", "ada\u0308", "1", "01", "1.0"}
	for _, subject := range subjects {
		_, err := s.Identities.Find(s.Context(), core.IdentityGitHub, subject)
		s.WantCode(err, core.CodeNotFound)
		identity := s.newIdentity(s.User().ID)
		identity.Subject = subject
		s.Must(s.Identities.Create(s.Context(), identity))
		got, err := s.Identities.Find(s.Context(), core.IdentityGitHub, subject)
		s.Want(got, err, identity)
	}
}

func identitiesOfUser(s testCase) {
	user, other := s.User(), s.User()
	at := s.Now()
	want := []core.Identity{
		{Provider: core.IdentityGoogle, Subject: "z", CreatedAt: 1},
		{Provider: core.IdentityGitHub, Subject: "B", CreatedAt: at},
		{Provider: core.IdentityGitHub, Subject: "a", CreatedAt: at},
		{Provider: core.IdentityGoogle, Subject: "A", CreatedAt: at},
		{Provider: core.IdentityGitHub, Subject: "A", CreatedAt: at + 1},
	}
	for _, i := range []int{3, 0, 4, 2, 1} {
		want[i].UserID = user.ID
		s.Must(s.Identities.Create(s.Context(), want[i]))
	}
	foreign := s.identity(other.ID)
	got, err := s.Identities.OfUser(s.Context(), user.ID)
	s.Want(got, err, want)
	got, err = s.Identities.OfUser(s.Context(), other.ID)
	s.Want(got, err, []core.Identity{foreign})
	for _, id := range []core.ID{core.NewID(), "", core.ID(fixture.Unstorable()[0])} {
		got, err = s.Identities.OfUser(s.Context(), id)
		s.Want(len(got), err, 0)
	}
}

func identityOfNothing(s testCase) {
	for _, user := range []core.ID{core.NewID(), ""} {
		identity := s.newIdentity(user)
		s.WantCode(s.Identities.Create(s.Context(), identity), core.CodeNotFound)
		_, err := s.Identities.Find(s.Context(), identity.Provider, identity.Subject)
		s.WantCode(err, core.CodeNotFound)
	}
}

func identitiesDelete(s testCase) {
	user, other := s.User(), s.User()
	first, kept := s.identity(user.ID), s.identity(other.ID)
	s.identity(user.ID)
	for _, id := range []core.ID{core.NewID(), "", core.ID(fixture.Unstorable()[0])} {
		s.Must(s.Identities.DeleteOf(s.Context(), id))
	}
	there, err := s.Identities.OfUser(s.Context(), user.ID)
	s.Want(len(there), err, 2)
	for range 2 {
		s.Must(s.Identities.DeleteOf(s.Context(), user.ID))
		there, err = s.Identities.OfUser(s.Context(), user.ID)
		s.Want(len(there), err, 0)
	}
	got, err := s.Identities.Find(s.Context(), kept.Provider, kept.Subject)
	s.Want(got, err, kept)
	first.UserID = other.ID
	s.Must(s.Identities.Create(s.Context(), first))
}

func identityText(s testCase) {
	for _, text := range fixture.Unstorable() {
		for _, alter := range []func(*core.Identity){
			func(i *core.Identity) { i.Provider = core.IdentityProvider(text) },
			func(i *core.Identity) { i.Subject = text },
			func(i *core.Identity) { i.UserID = core.ID(text) },
		} {
			identity := s.newIdentity(s.User().ID)
			alter(&identity)
			s.WantCode(s.Identities.Create(s.Context(), identity), core.CodeValidationFailed)
		}
	}
}
