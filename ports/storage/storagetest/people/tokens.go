package people

import (
	"github.com/atelierhq/atelier/core"

	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func tokenClauses() []clause {
	return []clause{
		{"a token comes back as it was stored", tokenComesBack},
		{"a token that is not there is not found", tokenNotFound},
		{"a token's hash or id in use is a conflict", tokenInUse},
		{"of parallel makers of one token one succeeds", tokenInParallel},
		{"a user's tokens are listed the oldest first", tokensByAge},
		{"the use of a token is noted unless a later one is", tokenTouch},
		{"parallel uses of a token leave the latest", tokenTouchInParallel},
		{"deleting a token returns it and leaves the others", tokenDelete},
		{"nobody deletes the token of another user", tokenOfAnother},
		{"of parallel deleters of a token one gets it", tokenDeleteInParallel},
		{"deleting a user's tokens leaves those of others", tokensDelete},
		{"a token belongs to a user", tokenOfNothing},
		{"a token's text is storable", tokenText},
		{"tokens go in and come out as copies", tokenCopies},
	}
}

func (s testCase) newToken(user core.ID) core.APIToken {
	secret := core.APITokenPrefix + core.NewSecret()
	return core.APIToken{
		ID: core.NewID(), Name: "Deploy", Scopes: []core.Scope{core.ScopePublish}, Prefix: secret[:8],
		CreatedAt: s.Now(), UserID: user, TokenHash: core.HashSecret(secret),
	}
}

func (s testCase) token(user core.ID) core.APIToken {
	s.Helper()
	token := s.newToken(user)
	s.Must(s.APITokens.Create(s.Context(), token))
	return token
}

func tokenComesBack(s testCase) {
	user := s.User()
	full, bare := s.newToken(user.ID), s.newToken(user.ID)
	full.Name, full.Scopes = `O'Hara "\ % _ ? 東京`, core.Scopes()
	full.LastUsedAt, full.ExpiresAt = new(s.Now()), new(s.Now())
	bare.Name, bare.Prefix, bare.Scopes = "", "", nil
	for _, token := range []core.APIToken{full, bare} {
		s.Must(s.APITokens.Create(s.Context(), token))
		got, err := s.APITokens.ByHash(s.Context(), token.TokenHash)
		s.Want(got, err, token)
	}
	got, err := s.APITokens.List(s.Context(), user.ID)
	s.Want(got, err, []core.APIToken{full, bare})
}

func tokenNotFound(s testCase) {
	token := s.token(s.User().ID)
	for _, text := range []string{string(core.NewID()), "", fixture.Unstorable()[0], fixture.Unstorable()[1]} {
		_, err := s.APITokens.ByHash(s.Context(), text)
		s.WantCode(err, core.CodeNotFound)
		s.WantCode(s.APITokens.Touch(s.Context(), core.ID(text), 1), core.CodeNotFound)
		_, err = s.APITokens.Delete(s.Context(), token.UserID, core.ID(text))
		s.WantCode(err, core.CodeNotFound)
	}
	_, err := s.APITokens.ByHash(s.Context(), string(token.ID))
	s.WantCode(err, core.CodeNotFound)
}

func tokenInUse(s testCase) {
	user := s.User()
	token := s.token(user.ID)
	for _, by := range []core.ID{user.ID, s.User().ID} {
		sameHash, sameID := s.newToken(by), s.newToken(by)
		sameHash.TokenHash, sameID.ID = token.TokenHash, token.ID
		s.WantCode(s.APITokens.Create(s.Context(), sameHash), core.CodeConflict)
		s.WantCode(s.APITokens.Create(s.Context(), sameID), core.CodeConflict)
		_, err := s.APITokens.ByHash(s.Context(), sameID.TokenHash)
		s.WantCode(err, core.CodeNotFound)
	}
	got, err := s.APITokens.List(s.Context(), user.ID)
	s.Want(got, err, []core.APIToken{token})
}

func tokenInParallel(s testCase) {
	user := s.User()
	tokens := make([]core.APIToken, 16)
	for i := range tokens {
		tokens[i] = s.newToken(user.ID)
		tokens[i].TokenHash = tokens[0].TokenHash
	}
	winner := s.OneOf(len(tokens), core.CodeConflict, func(i int) error {
		return s.APITokens.Create(s.Context(), tokens[i])
	})
	got, err := s.APITokens.List(s.Context(), user.ID)
	s.Want(got, err, []core.APIToken{tokens[winner]})
}

func tokensByAge(s testCase) {
	user, other := s.User(), s.User()
	want := make([]core.APIToken, 4)
	for i, age := range s.Ages() {
		want[i] = s.newToken(user.ID)
		want[i].ID, want[i].CreatedAt = age.ID, age.At
	}
	for _, i := range []int{3, 2, 0, 1} {
		s.Must(s.APITokens.Create(s.Context(), want[i]))
	}
	s.token(other.ID)
	got, err := s.APITokens.List(s.Context(), user.ID)
	s.Want(got, err, want)
	for _, id := range []core.ID{core.NewID(), "", core.ID(fixture.Unstorable()[0])} {
		got, err = s.APITokens.List(s.Context(), id)
		s.Want(len(got), err, 0)
	}
}

func tokenTouch(s testCase) {
	token, other := s.token(s.User().ID), s.token(s.User().ID)
	for _, step := range []struct{ at, want core.Time }{{100, 100}, {200, 200}, {199, 200}, {200, 200}, {1 << 41, 1 << 41}} {
		s.Must(s.APITokens.Touch(s.Context(), token.ID, step.at))
		token.LastUsedAt = new(step.want)
		got, err := s.APITokens.ByHash(s.Context(), token.TokenHash)
		s.Want(got, err, token)
	}
	got, err := s.APITokens.ByHash(s.Context(), other.TokenHash)
	s.Want(got, err, other)
}

func tokenTouchInParallel(s testCase) {
	token := s.token(s.User().ID)
	fixture.Together(16, func(i int) {
		if err := s.APITokens.Touch(s.Context(), token.ID, core.Time(100+(i*7)%16)); err != nil {
			s.Errorf("got %v, want nil", err)
		}
	})
	got, err := s.APITokens.ByHash(s.Context(), token.TokenHash)
	token.LastUsedAt = new(core.Time(115))
	s.Want(got, err, token)
}

func tokenDelete(s testCase) {
	user := s.User()
	doomed, kept := s.newToken(user.ID), s.token(user.ID)
	doomed.Scopes, doomed.LastUsedAt, doomed.ExpiresAt = core.Scopes(), new(s.Now()), new(s.Now())
	s.Must(s.APITokens.Create(s.Context(), doomed))
	got, err := s.APITokens.Delete(s.Context(), user.ID, doomed.ID)
	s.Want(got, err, doomed)
	_, err = s.APITokens.ByHash(s.Context(), doomed.TokenHash)
	s.WantCode(err, core.CodeNotFound)
	_, err = s.APITokens.Delete(s.Context(), user.ID, doomed.ID)
	s.WantCode(err, core.CodeNotFound)
	list, err := s.APITokens.List(s.Context(), user.ID)
	s.Want(list, err, []core.APIToken{kept})
}

func tokenOfAnother(s testCase) {
	token, other := s.token(s.User().ID), s.User()
	for _, by := range []core.ID{other.ID, core.NewID(), "", core.ID(fixture.Unstorable()[0])} {
		got, err := s.APITokens.Delete(s.Context(), by, token.ID)
		s.WantCode(err, core.CodeNotFound)
		s.Want(got, nil, core.APIToken{})
	}
	got, err := s.APITokens.ByHash(s.Context(), token.TokenHash)
	s.Want(got, err, token)
}

func tokenDeleteInParallel(s testCase) {
	token := s.token(s.User().ID)
	got := make([]core.APIToken, 16)
	winner := s.OneOf(len(got), core.CodeNotFound, func(i int) (err error) {
		got[i], err = s.APITokens.Delete(s.Context(), token.UserID, token.ID)
		return err
	})
	s.Want(got[winner], nil, token)
}

func tokensDelete(s testCase) {
	user, kept := s.User(), s.token(s.User().ID)
	s.token(user.ID)
	s.token(user.ID)
	for _, id := range []core.ID{core.NewID(), "", core.ID(fixture.Unstorable()[0])} {
		s.Must(s.APITokens.DeleteOf(s.Context(), id))
	}
	there, err := s.APITokens.List(s.Context(), user.ID)
	s.Want(len(there), err, 2)
	for range 2 {
		s.Must(s.APITokens.DeleteOf(s.Context(), user.ID))
		there, err = s.APITokens.List(s.Context(), user.ID)
		s.Want(len(there), err, 0)
	}
	got, err := s.APITokens.ByHash(s.Context(), kept.TokenHash)
	s.Want(got, err, kept)
}

func tokenOfNothing(s testCase) {
	for _, user := range []core.ID{core.NewID(), ""} {
		token := s.newToken(user)
		s.WantCode(s.APITokens.Create(s.Context(), token), core.CodeNotFound)
		_, err := s.APITokens.ByHash(s.Context(), token.TokenHash)
		s.WantCode(err, core.CodeNotFound)
	}
}

func tokenText(s testCase) {
	for _, text := range fixture.Unstorable() {
		for _, alter := range []func(*core.APIToken){
			func(t *core.APIToken) { t.Name = text },
			func(t *core.APIToken) { t.Scopes = []core.Scope{core.ScopeChat, core.Scope(text)} },
			func(t *core.APIToken) { t.Prefix = text },
			func(t *core.APIToken) { t.TokenHash = text },
		} {
			token := s.newToken(s.User().ID)
			alter(&token)
			s.WantCode(s.APITokens.Create(s.Context(), token), core.CodeValidationFailed)
		}
	}
}

func tokenCopies(s testCase) {
	token := s.newToken(s.User().ID)
	token.LastUsedAt, token.ExpiresAt = new(core.Time(1)), new(core.Time(2))
	spoil := func(token core.APIToken) {
		token.Scopes[0], *token.LastUsedAt, *token.ExpiresAt = core.ScopeChat, 8, 9
	}
	want := token
	want.Scopes, want.LastUsedAt, want.ExpiresAt = []core.Scope{core.ScopePublish}, new(core.Time(1)), new(core.Time(2))
	s.Must(s.APITokens.Create(s.Context(), token))
	spoil(token)
	got, err := s.APITokens.ByHash(s.Context(), token.TokenHash)
	s.Want(got, err, want)
	spoil(got)
	list, err := s.APITokens.List(s.Context(), token.UserID)
	s.Want(list, err, []core.APIToken{want})
	spoil(list[0])
	got, err = s.APITokens.ByHash(s.Context(), token.TokenHash)
	s.Want(got, err, want)
}
