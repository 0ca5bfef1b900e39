package porttest

import "github.com/atelierhq/atelier/core"

func storageTokenClauses() []storageClause {
	return []storageClause{
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

func (s *storageCase) newToken(user core.ID) core.APIToken {
	secret := core.APITokenPrefix + core.NewSecret()
	return core.APIToken{
		ID: core.NewID(), Name: "Deploy", Scopes: []core.Scope{core.ScopePublish}, Prefix: secret[:8],
		CreatedAt: s.now(), UserID: user, TokenHash: core.HashSecret(secret),
	}
}

func (s *storageCase) token(user core.ID) core.APIToken {
	s.Helper()
	token := s.newToken(user)
	s.must(s.APITokens.Create(s.Context(), token))
	return token
}

func tokenComesBack(s *storageCase) {
	user := s.user()
	full, bare := s.newToken(user.ID), s.newToken(user.ID)
	full.Name, full.Scopes = `O'Hara "\ % _ ? 東京`, core.Scopes()
	full.LastUsedAt, full.ExpiresAt = new(s.now()), new(s.now())
	bare.Name, bare.Prefix, bare.Scopes = "", "", nil
	for _, token := range []core.APIToken{full, bare} {
		s.must(s.APITokens.Create(s.Context(), token))
		got, err := s.APITokens.ByHash(s.Context(), token.TokenHash)
		s.want(got, err, token)
	}
	got, err := s.APITokens.List(s.Context(), user.ID)
	s.want(got, err, []core.APIToken{full, bare})
}

func tokenNotFound(s *storageCase) {
	token := s.token(s.user().ID)
	for _, text := range []string{string(core.NewID()), "", unstorable[0], unstorable[1]} {
		_, err := s.APITokens.ByHash(s.Context(), text)
		s.wantCode(err, core.CodeNotFound)
		s.wantCode(s.APITokens.Touch(s.Context(), core.ID(text), 1), core.CodeNotFound)
		_, err = s.APITokens.Delete(s.Context(), token.UserID, core.ID(text))
		s.wantCode(err, core.CodeNotFound)
	}
	_, err := s.APITokens.ByHash(s.Context(), string(token.ID))
	s.wantCode(err, core.CodeNotFound)
}

func tokenInUse(s *storageCase) {
	user := s.user()
	token := s.token(user.ID)
	for _, by := range []core.ID{user.ID, s.user().ID} {
		sameHash, sameID := s.newToken(by), s.newToken(by)
		sameHash.TokenHash, sameID.ID = token.TokenHash, token.ID
		s.wantCode(s.APITokens.Create(s.Context(), sameHash), core.CodeConflict)
		s.wantCode(s.APITokens.Create(s.Context(), sameID), core.CodeConflict)
		_, err := s.APITokens.ByHash(s.Context(), sameID.TokenHash)
		s.wantCode(err, core.CodeNotFound)
	}
	got, err := s.APITokens.List(s.Context(), user.ID)
	s.want(got, err, []core.APIToken{token})
}

func tokenInParallel(s *storageCase) {
	user := s.user()
	tokens := make([]core.APIToken, 16)
	for i := range tokens {
		tokens[i] = s.newToken(user.ID)
		tokens[i].TokenHash = tokens[0].TokenHash
	}
	winner := s.oneOf(len(tokens), core.CodeConflict, func(i int) error {
		return s.APITokens.Create(s.Context(), tokens[i])
	})
	got, err := s.APITokens.List(s.Context(), user.ID)
	s.want(got, err, []core.APIToken{tokens[winner]})
}

func tokensByAge(s *storageCase) {
	user, other := s.user(), s.user()
	want := make([]core.APIToken, 4)
	for i, age := range s.ages() {
		want[i] = s.newToken(user.ID)
		want[i].ID, want[i].CreatedAt = age.id, age.at
	}
	for _, i := range []int{3, 2, 0, 1} {
		s.must(s.APITokens.Create(s.Context(), want[i]))
	}
	s.token(other.ID)
	got, err := s.APITokens.List(s.Context(), user.ID)
	s.want(got, err, want)
	for _, id := range []core.ID{core.NewID(), "", core.ID(unstorable[0])} {
		got, err = s.APITokens.List(s.Context(), id)
		s.want(len(got), err, 0)
	}
}

func tokenTouch(s *storageCase) {
	token, other := s.token(s.user().ID), s.token(s.user().ID)
	for _, step := range []struct{ at, want core.Time }{{100, 100}, {200, 200}, {199, 200}, {200, 200}, {1 << 41, 1 << 41}} {
		s.must(s.APITokens.Touch(s.Context(), token.ID, step.at))
		token.LastUsedAt = new(step.want)
		got, err := s.APITokens.ByHash(s.Context(), token.TokenHash)
		s.want(got, err, token)
	}
	got, err := s.APITokens.ByHash(s.Context(), other.TokenHash)
	s.want(got, err, other)
}

func tokenTouchInParallel(s *storageCase) {
	token := s.token(s.user().ID)
	together(16, func(i int) {
		if err := s.APITokens.Touch(s.Context(), token.ID, core.Time(100+(i*7)%16)); err != nil {
			s.Errorf("got %v, want nil", err)
		}
	})
	got, err := s.APITokens.ByHash(s.Context(), token.TokenHash)
	token.LastUsedAt = new(core.Time(115))
	s.want(got, err, token)
}

func tokenDelete(s *storageCase) {
	user := s.user()
	doomed, kept := s.newToken(user.ID), s.token(user.ID)
	doomed.Scopes, doomed.LastUsedAt, doomed.ExpiresAt = core.Scopes(), new(s.now()), new(s.now())
	s.must(s.APITokens.Create(s.Context(), doomed))
	got, err := s.APITokens.Delete(s.Context(), user.ID, doomed.ID)
	s.want(got, err, doomed)
	_, err = s.APITokens.ByHash(s.Context(), doomed.TokenHash)
	s.wantCode(err, core.CodeNotFound)
	_, err = s.APITokens.Delete(s.Context(), user.ID, doomed.ID)
	s.wantCode(err, core.CodeNotFound)
	list, err := s.APITokens.List(s.Context(), user.ID)
	s.want(list, err, []core.APIToken{kept})
}

func tokenOfAnother(s *storageCase) {
	token, other := s.token(s.user().ID), s.user()
	for _, by := range []core.ID{other.ID, core.NewID(), "", core.ID(unstorable[0])} {
		got, err := s.APITokens.Delete(s.Context(), by, token.ID)
		s.wantCode(err, core.CodeNotFound)
		s.want(got, nil, core.APIToken{})
	}
	got, err := s.APITokens.ByHash(s.Context(), token.TokenHash)
	s.want(got, err, token)
}

func tokenDeleteInParallel(s *storageCase) {
	token := s.token(s.user().ID)
	got := make([]core.APIToken, 16)
	winner := s.oneOf(len(got), core.CodeNotFound, func(i int) (err error) {
		got[i], err = s.APITokens.Delete(s.Context(), token.UserID, token.ID)
		return err
	})
	s.want(got[winner], nil, token)
}

func tokensDelete(s *storageCase) {
	user, kept := s.user(), s.token(s.user().ID)
	s.token(user.ID)
	s.token(user.ID)
	for _, id := range []core.ID{core.NewID(), "", core.ID(unstorable[0])} {
		s.must(s.APITokens.DeleteOf(s.Context(), id))
	}
	there, err := s.APITokens.List(s.Context(), user.ID)
	s.want(len(there), err, 2)
	for range 2 {
		s.must(s.APITokens.DeleteOf(s.Context(), user.ID))
		there, err = s.APITokens.List(s.Context(), user.ID)
		s.want(len(there), err, 0)
	}
	got, err := s.APITokens.ByHash(s.Context(), kept.TokenHash)
	s.want(got, err, kept)
}

func tokenOfNothing(s *storageCase) {
	for _, user := range []core.ID{core.NewID(), ""} {
		token := s.newToken(user)
		s.wantCode(s.APITokens.Create(s.Context(), token), core.CodeNotFound)
		_, err := s.APITokens.ByHash(s.Context(), token.TokenHash)
		s.wantCode(err, core.CodeNotFound)
	}
}

func tokenText(s *storageCase) {
	for _, text := range unstorable {
		for _, alter := range []func(*core.APIToken){
			func(t *core.APIToken) { t.Name = text },
			func(t *core.APIToken) { t.Scopes = []core.Scope{core.ScopeChat, core.Scope(text)} },
			func(t *core.APIToken) { t.Prefix = text },
			func(t *core.APIToken) { t.TokenHash = text },
		} {
			token := s.newToken(s.user().ID)
			alter(&token)
			s.wantCode(s.APITokens.Create(s.Context(), token), core.CodeValidationFailed)
		}
	}
}

func tokenCopies(s *storageCase) {
	token := s.newToken(s.user().ID)
	token.LastUsedAt, token.ExpiresAt = new(core.Time(1)), new(core.Time(2))
	spoil := func(token core.APIToken) {
		token.Scopes[0], *token.LastUsedAt, *token.ExpiresAt = core.ScopeChat, 8, 9
	}
	want := token
	want.Scopes, want.LastUsedAt, want.ExpiresAt = []core.Scope{core.ScopePublish}, new(core.Time(1)), new(core.Time(2))
	s.must(s.APITokens.Create(s.Context(), token))
	spoil(token)
	got, err := s.APITokens.ByHash(s.Context(), token.TokenHash)
	s.want(got, err, want)
	spoil(got)
	list, err := s.APITokens.List(s.Context(), token.UserID)
	s.want(list, err, []core.APIToken{want})
	spoil(list[0])
	got, err = s.APITokens.ByHash(s.Context(), token.TokenHash)
	s.want(got, err, want)
}
