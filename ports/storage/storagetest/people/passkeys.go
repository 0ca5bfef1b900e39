package people

import (
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func passkeyClauses() []clause {
	return []clause{
		{"a passkey comes back as it was stored", passkeyComesBack},
		{"a passkey that is not there is not found", passkeyNotFound},
		{"a passkey belongs to a user", passkeyOfNothing},
		{"a credential or id in use is a conflict", passkeyInUse},
		{"of parallel makers of one credential one succeeds", passkeyInParallel},
		{"a user's passkeys are listed the oldest first", passkeysByAge},
		{"a changed passkey keeps its key and its user", passkeyUpdate},
		{"of parallel uses with one counter one succeeds", passkeyCounter},
		{"nobody deletes the passkey of another user", passkeyOfAnother},
		{"deleting a user's passkeys leaves those of others", passkeysDelete},
		{"a passkey's text is storable", passkeyText},
		{"passkeys go in and come out as copies", passkeyCopies},
	}
}

func newPasskey(s testCase, user core.ID) core.Passkey {
	return core.Passkey{
		ID: core.NewID(), Name: "Laptop", Synced: true, CreatedAt: s.Now(), LastUsedAt: new(s.Now()), UserID: user,
		CredentialID: core.NewSecret(), PublicKey: []byte{0, 1, 255}, SignCount: 1<<32 - 1,
		AAGUID: "01020304-0506-0708-0102-030405060708", Transports: []string{"internal", "hybrid"},
	}
}

func passkeyOf(s testCase, user core.ID) core.Passkey {
	s.Helper()
	passkey := newPasskey(s, user)
	s.Must(s.Passkeys.Create(s.Context(), passkey))
	return passkey
}

func wantPasskey(s testCase, want core.Passkey) {
	s.Helper()
	got, err := s.Passkeys.ByCredential(s.Context(), want.CredentialID)
	s.Want(got, err, want)
}

func passkeyComesBack(s testCase) {
	user := s.User()
	full, bare := newPasskey(s, user.ID), newPasskey(s, user.ID)
	full.Name = `O'Hara "\ % _ ? 東京`
	bare.Name, bare.Synced, bare.LastUsedAt, bare.SignCount, bare.AAGUID, bare.Transports = "", false, nil, 0, "", nil
	for _, passkey := range []core.Passkey{full, bare} {
		s.Must(s.Passkeys.Create(s.Context(), passkey))
		wantPasskey(s, passkey)
	}
}

func passkeyNotFound(s testCase) {
	passkey := passkeyOf(s, s.User().ID)
	for _, text := range []string{string(core.NewID()), "", fixture.Unstorable()[0], fixture.Unstorable()[1]} {
		_, err := s.Passkeys.ByCredential(s.Context(), text)
		s.WantCode(err, core.CodeNotFound)
		_, err = s.Passkeys.Update(s.Context(), core.ID(text), func(*core.Passkey) error { return nil })
		s.WantCode(err, core.CodeNotFound)
		_, err = s.Passkeys.Delete(s.Context(), passkey.UserID, core.ID(text))
		s.WantCode(err, core.CodeNotFound)
		got, err := s.Passkeys.OfUser(s.Context(), core.ID(text))
		s.Want(len(got), err, 0)
	}
	wantPasskey(s, passkey)
}

func passkeyOfNothing(s testCase) {
	s.WantCode(s.Passkeys.Create(s.Context(), newPasskey(s, core.NewID())), core.CodeNotFound)
}

func passkeyInUse(s testCase) {
	user := s.User()
	passkey := passkeyOf(s, user.ID)
	for _, by := range []core.ID{user.ID, s.User().ID} {
		sameCredential, sameID := newPasskey(s, by), newPasskey(s, by)
		sameCredential.CredentialID, sameID.ID = passkey.CredentialID, passkey.ID
		s.WantCode(s.Passkeys.Create(s.Context(), sameCredential), core.CodeConflict)
		s.WantCode(s.Passkeys.Create(s.Context(), sameID), core.CodeConflict)
	}
	got, err := s.Passkeys.OfUser(s.Context(), user.ID)
	s.Want(got, err, []core.Passkey{passkey})
}

func passkeyInParallel(s testCase) {
	user := s.User()
	made := make([]core.Passkey, 16)
	for i := range made {
		made[i] = newPasskey(s, user.ID)
		made[i].CredentialID = made[0].CredentialID
	}
	winner := s.OneOf(len(made), core.CodeConflict, func(i int) error { return s.Passkeys.Create(s.Context(), made[i]) })
	wantPasskey(s, made[winner])
}

func passkeysByAge(s testCase) {
	user := s.User()
	want := make([]core.Passkey, 4)
	for i, age := range s.Ages() {
		want[i] = newPasskey(s, user.ID)
		want[i].ID, want[i].CreatedAt = age.ID, age.At
	}
	for _, i := range []int{3, 2, 0, 1} {
		s.Must(s.Passkeys.Create(s.Context(), want[i]))
	}
	passkeyOf(s, s.User().ID)
	got, err := s.Passkeys.OfUser(s.Context(), user.ID)
	s.Want(got, err, want)
}

func passkeyUpdate(s testCase) {
	want := passkeyOf(s, s.User().ID)
	other := newPasskey(s, s.User().ID)
	want.Name, want.SignCount, want.LastUsedAt = "Phone", 7, new(s.Now()+5)
	got, err := s.Passkeys.Update(s.Context(), want.ID, func(stored *core.Passkey) error {
		*stored = other
		stored.Name, stored.SignCount, stored.LastUsedAt = want.Name, want.SignCount, want.LastUsedAt
		return nil
	})
	s.Want(got, err, want)
	_, err = s.Passkeys.Update(s.Context(), want.ID, func(stored *core.Passkey) error {
		stored.SignCount = 0
		return fixture.ErrStop
	})
	s.Want(err, nil, fixture.ErrStop)
	wantPasskey(s, want)
}

func passkeyCounter(s testCase) {
	passkey, now := passkeyOf(s, s.User().ID), s.Now()
	s.OneOf(16, core.CodeConflict, func(int) error {
		_, err := s.Passkeys.Update(s.Context(), passkey.ID, func(stored *core.Passkey) error {
			if !stored.Use(passkey.SignCount+1, now) {
				return codeUsed()
			}
			return nil
		})
		return err
	})
	passkey.SignCount, passkey.LastUsedAt = passkey.SignCount+1, &now
	wantPasskey(s, passkey)
}

func passkeyOfAnother(s testCase) {
	passkey, other := passkeyOf(s, s.User().ID), s.User()
	_, err := s.Passkeys.Delete(s.Context(), other.ID, passkey.ID)
	s.WantCode(err, core.CodeNotFound)
	wantPasskey(s, passkey)
	got, err := s.Passkeys.Delete(s.Context(), passkey.UserID, passkey.ID)
	s.Want(got, err, passkey)
	_, err = s.Passkeys.ByCredential(s.Context(), passkey.CredentialID)
	s.WantCode(err, core.CodeNotFound)
}

func passkeysDelete(s testCase) {
	gone, kept := passkeyOf(s, s.User().ID), passkeyOf(s, s.User().ID)
	for range 2 {
		s.Must(s.Passkeys.DeleteOf(s.Context(), gone.UserID))
	}
	_, err := s.Passkeys.ByCredential(s.Context(), gone.CredentialID)
	s.WantCode(err, core.CodeNotFound)
	wantPasskey(s, kept)
}

func passkeyText(s testCase) {
	stored := passkeyOf(s, s.User().ID)
	for _, text := range fixture.Unstorable() {
		wrong := newPasskey(s, stored.UserID)
		wrong.Transports = []string{text}
		s.WantCode(s.Passkeys.Create(s.Context(), wrong), core.CodeValidationFailed)
		_, err := s.Passkeys.Update(s.Context(), stored.ID, func(passkey *core.Passkey) error {
			passkey.Name = text
			return nil
		})
		s.WantCode(err, core.CodeValidationFailed)
	}
	wantPasskey(s, stored)
}

func passkeyCopies(s testCase) {
	passkey := passkeyOf(s, s.User().ID)
	want := passkey
	want.PublicKey, want.Transports, want.LastUsedAt = slices.Clone(passkey.PublicKey), slices.Clone(passkey.Transports), new(*passkey.LastUsedAt)
	passkey.PublicKey[0], passkey.Transports[0], *passkey.LastUsedAt = 9, "changed", 1
	wantPasskey(s, want)
	got, err := s.Passkeys.ByCredential(s.Context(), want.CredentialID)
	s.Must(err)
	got.PublicKey[0], got.Transports[0] = 9, "changed"
	wantPasskey(s, want)
}
