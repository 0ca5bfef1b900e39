package porttest

import (
	"errors"
	"sync/atomic"

	"github.com/atelierhq/atelier/core"
)

func storageUserClauses() []storageClause {
	return []storageClause{
		{"a user comes back as it was stored", userComesBack},
		{"a user that is not there is not found", userNotFound},
		{"an address in use is taken", emailTaken},
		{"of parallel sign-ups with one address one succeeds", emailTakenInParallel},
		{"an id in use is a conflict", userIDInUse},
		{"an update stores what the change did", userUpdate},
		{"an update whose change fails returns its error and stores nothing", userUpdateRefused},
		{"an update cannot change id and createdAt", userUpdatePinned},
		{"parallel updates lose nothing", userUpdatesInParallel},
		{"text that no database can keep is refused and names nobody", userText},
		{"records go in and come out as copies", userCopies},
	}
}

func userComesBack(s *storageCase) {
	full := core.User{
		ID: core.NewID(), Email: "ünï@example.com", DisplayName: new(`O'Hara "\ % _ ? 東京`), AvatarURL: new(""),
		EmailVerified: true, CreatedAt: s.now(), PasswordHash: "$argon2id$v=19$?", CredentialVersion: 7,
	}
	for _, user := range []core.User{full, s.newUser()} {
		s.must(s.Users.Create(s.Context(), user))
		got, err := s.Users.ByID(s.Context(), user.ID)
		s.want(got, err, user)
		got, err = s.Users.ByEmail(s.Context(), user.Email)
		s.want(got, err, user)
	}
}

func userNotFound(s *storageCase) {
	s.user()
	_, err := s.Users.ByID(s.Context(), core.NewID())
	s.wantCode(err, core.CodeNotFound)
	_, err = s.Users.ByEmail(s.Context(), "nobody@example.com")
	s.wantCode(err, core.CodeNotFound)
	_, err = s.Users.Update(s.Context(), core.NewID(), func(*core.User) error {
		s.Error("change was called for a user that is not there")
		return nil
	})
	s.wantCode(err, core.CodeNotFound)
}

func emailTaken(s *storageCase) {
	first, second := s.user(), s.user()
	again := s.newUser()
	again.Email = first.Email
	s.wantCode(s.Users.Create(s.Context(), again), core.CodeEmailTaken)
	_, err := s.Users.ByID(s.Context(), again.ID)
	s.wantCode(err, core.CodeNotFound)
	_, err = s.Users.Update(s.Context(), second.ID, func(user *core.User) error {
		user.Email, user.EmailVerified = first.Email, true
		return nil
	})
	s.wantCode(err, core.CodeEmailTaken)
	got, err := s.Users.ByID(s.Context(), second.ID)
	s.want(got, err, second)
}

func emailTakenInParallel(s *storageCase) {
	var created atomic.Int32
	users := make([]core.User, 16)
	for i := range users {
		users[i] = s.newUser()
		users[i].Email = "one@example.com"
	}
	together(len(users), func(i int) {
		err := s.Users.Create(s.Context(), users[i])
		if err == nil {
			created.Add(1)
		} else {
			s.wantCode(err, core.CodeEmailTaken)
		}
	})
	if created.Load() != 1 {
		s.Errorf("got %d users with one address, want 1", created.Load())
	}
}

func userIDInUse(s *storageCase) {
	user := s.user()
	again := s.newUser()
	again.ID = user.ID
	s.wantCode(s.Users.Create(s.Context(), again), core.CodeConflict)
	got, err := s.Users.ByID(s.Context(), user.ID)
	s.want(got, err, user)
}

func userUpdate(s *storageCase) {
	user, other := s.user(), s.user()
	want := user
	want.DisplayName, want.Email, want.CredentialVersion = new("Ada"), "ada@example.com", 3
	got, err := s.Users.Update(s.Context(), user.ID, func(stored *core.User) error {
		s.want(*stored, nil, user)
		*stored = want
		return nil
	})
	s.want(got, err, want)
	got, err = s.Users.ByEmail(s.Context(), "ada@example.com")
	s.want(got, err, want)
	got, err = s.Users.ByID(s.Context(), other.ID)
	s.want(got, err, other)
}

func userUpdateRefused(s *storageCase) {
	user := s.user()
	refused := errors.New("no")
	got, err := s.Users.Update(s.Context(), user.ID, func(stored *core.User) error {
		stored.PasswordHash = "changed"
		return refused
	})
	if err != refused || got != (core.User{}) {
		s.Errorf("got %+v, %v, want no user and the change's own error", got, err)
	}
	got, err = s.Users.ByID(s.Context(), user.ID)
	s.want(got, err, user)
}

func userUpdatePinned(s *storageCase) {
	user := s.user()
	got, err := s.Users.Update(s.Context(), user.ID, func(stored *core.User) error {
		stored.ID, stored.CreatedAt = core.NewID(), 1
		return nil
	})
	s.want(got, err, user)
	got, err = s.Users.ByID(s.Context(), user.ID)
	s.want(got, err, user)
}

func userUpdatesInParallel(s *storageCase) {
	user := s.user()
	together(16, func(int) {
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
	s.want(got, err, user)
}

func userText(s *storageCase) {
	stored := s.user()
	for _, text := range unstorable {
		user := s.newUser()
		user.DisplayName = new(text)
		s.wantCode(s.Users.Create(s.Context(), user), core.CodeValidationFailed)
		_, err := s.Users.Update(s.Context(), stored.ID, func(user *core.User) error {
			user.PasswordHash = text
			return nil
		})
		s.wantCode(err, core.CodeValidationFailed)
		_, err = s.Users.ByID(s.Context(), core.ID(text))
		s.wantCode(err, core.CodeNotFound)
		_, err = s.Users.ByEmail(s.Context(), text)
		s.wantCode(err, core.CodeNotFound)
		_, err = s.Users.Update(s.Context(), core.ID(text), func(*core.User) error { return nil })
		s.wantCode(err, core.CodeNotFound)
	}
	got, err := s.Users.ByID(s.Context(), stored.ID)
	s.want(got, err, stored)
}

func userCopies(s *storageCase) {
	user := s.newUser()
	user.DisplayName = new("Ada")
	s.must(s.Users.Create(s.Context(), user))
	*user.DisplayName = "changed by the caller of Create"
	first, err := s.Users.ByID(s.Context(), user.ID)
	s.want(*first.DisplayName, err, "Ada")
	*first.DisplayName = "changed by the reader"
	updated, err := s.Users.Update(s.Context(), user.ID, func(*core.User) error { return nil })
	s.want(*updated.DisplayName, err, "Ada")
	*updated.DisplayName = "changed by the caller of Update"
	last, err := s.Users.ByEmail(s.Context(), user.Email)
	s.want(*last.DisplayName, err, "Ada")
}
