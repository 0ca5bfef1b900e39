package people

import (
	"errors"
	"sync/atomic"

	"github.com/atelierhq/atelier/core"
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
