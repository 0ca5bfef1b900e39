package people

import (
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func factorClauses() []clause {
	return []clause{
		{"a factor comes back as it was stored", factorComesBack},
		{"a factor that is not there is not found", factorNotFound},
		{"a factor belongs to a user", factorOfNothing},
		{"a changed factor keeps its user", factorUpdate},
		{"of parallel uses of one code one succeeds", factorInParallel},
		{"of parallel transactions with one recovery code one succeeds", factorInTransactions},
		{"deleting a user's factor leaves those of others", factorsDelete},
		{"a factor's text is storable", factorText},
		{"factors go in and come out as copies", factorCopies},
	}
}

func newFactor(user core.ID, now core.Time) core.Factor {
	return core.Factor{
		UserID: user, SealedSecret: []byte{0, 1, 255}, ConfirmedAt: now, LastStep: 1 << 40,
		RecoveryHashes: []string{core.HashRecoveryCode(user, "one"), core.HashRecoveryCode(user, "two")},
		SealedPending:  []byte("pending"), PendingUntil: now + 1000, Passkeys: 3,
	}
}

func (s testCase) factor(user core.ID) core.Factor {
	s.Helper()
	factor := newFactor(user, s.Now())
	s.Must(s.Factors.Put(s.Context(), factor))
	return factor
}

func factorComesBack(s testCase) {
	full, bare := newFactor(s.User().ID, s.Now()), core.Factor{UserID: s.User().ID}
	for _, factor := range []core.Factor{full, bare} {
		s.Must(s.Factors.Put(s.Context(), factor))
		got, err := s.Factors.Of(s.Context(), factor.UserID)
		s.Want(got, err, factor)
	}
	next := core.Factor{UserID: full.UserID, SealedPending: []byte("next"), PendingUntil: 7}
	s.Must(s.Factors.Put(s.Context(), next))
	got, err := s.Factors.Of(s.Context(), full.UserID)
	s.Want(got, err, next)
	s.Must(s.Factors.Put(s.Context(), full))
	got, err = s.Factors.Of(s.Context(), full.UserID)
	s.Want(got, err, full)
}

func factorNotFound(s testCase) {
	s.factor(s.User().ID)
	for _, id := range []core.ID{s.User().ID, core.NewID(), "", core.ID(fixture.Unstorable()[0]), core.ID(fixture.Unstorable()[1])} {
		_, err := s.Factors.Of(s.Context(), id)
		s.WantCode(err, core.CodeNotFound)
		_, err = s.Factors.Update(s.Context(), id, func(*core.Factor) error { return nil })
		s.WantCode(err, core.CodeNotFound)
		s.Must(s.Factors.DeleteOf(s.Context(), id))
	}
}

func factorOfNothing(s testCase) {
	s.WantCode(s.Factors.Put(s.Context(), newFactor(core.NewID(), s.Now())), core.CodeNotFound)
}

func factorUpdate(s testCase) {
	want := s.factor(s.User().ID)
	want.LastStep, want.SealedSecret, want.SealedPending, want.PendingUntil = want.LastStep+1, want.SealedPending, nil, 0
	want.RecoveryHashes = want.RecoveryHashes[1:]
	got, err := s.Factors.Update(s.Context(), want.UserID, func(stored *core.Factor) error {
		*stored = want
		stored.UserID = core.NewID()
		return nil
	})
	s.Want(got, err, want)
	_, err = s.Factors.Update(s.Context(), want.UserID, func(stored *core.Factor) error {
		stored.ConfirmedAt = 0
		return fixture.ErrStop
	})
	s.Want(err, nil, fixture.ErrStop)
	got, err = s.Factors.Of(s.Context(), want.UserID)
	s.Want(got, err, want)
}

func codeUsed() error { return core.Errorf(core.CodeConflict, "this code was used") }

func factorInParallel(s testCase) {
	factor := s.factor(s.User().ID)
	s.OneOf(16, core.CodeConflict, func(int) error {
		_, err := s.Factors.Update(s.Context(), factor.UserID, func(stored *core.Factor) error {
			if stored.LastStep != factor.LastStep {
				return codeUsed()
			}
			stored.LastStep++
			return nil
		})
		return err
	})
	got, err := s.Factors.Of(s.Context(), factor.UserID)
	factor.LastStep++
	s.Want(got, err, factor)
}

func factorInTransactions(s testCase) {
	factor := s.factor(s.User().ID)
	s.OneOf(16, core.CodeConflict, func(int) error {
		return s.Store.InTx(s.Context(), fixture.InTx(func(in fixture.Tx) error {
			_, err := in.Factors.Update(in.Ctx, factor.UserID, func(stored *core.Factor) error {
				if !stored.UseRecoveryCode("two") {
					return codeUsed()
				}
				return nil
			})
			return err
		}))
	})
	got, err := s.Factors.Of(s.Context(), factor.UserID)
	factor.RecoveryHashes = factor.RecoveryHashes[:1]
	s.Want(got, err, factor)
}

func factorsDelete(s testCase) {
	gone, kept := s.factor(s.User().ID), s.factor(s.User().ID)
	for range 2 {
		s.Must(s.Factors.DeleteOf(s.Context(), gone.UserID))
	}
	_, err := s.Factors.Of(s.Context(), gone.UserID)
	s.WantCode(err, core.CodeNotFound)
	got, err := s.Factors.Of(s.Context(), kept.UserID)
	s.Want(got, err, kept)
}

func factorText(s testCase) {
	stored := s.factor(s.User().ID)
	for _, text := range fixture.Unstorable() {
		wrong := stored
		wrong.RecoveryHashes = []string{text}
		s.WantCode(s.Factors.Put(s.Context(), wrong), core.CodeValidationFailed)
		_, err := s.Factors.Update(s.Context(), stored.UserID, func(factor *core.Factor) error {
			factor.RecoveryHashes = []string{text}
			return nil
		})
		s.WantCode(err, core.CodeValidationFailed)
		s.WantCode(s.Factors.Put(s.Context(), newFactor(core.ID(text), s.Now())), core.CodeValidationFailed)
	}
	got, err := s.Factors.Of(s.Context(), stored.UserID)
	s.Want(got, err, stored)
}

func factorCopies(s testCase) {
	factor := s.factor(s.User().ID)
	want := factor
	want.SealedSecret, want.RecoveryHashes = slices.Clone(factor.SealedSecret), slices.Clone(factor.RecoveryHashes)
	factor.SealedSecret[0], factor.RecoveryHashes[0] = 9, "changed"
	got, err := s.Factors.Of(s.Context(), want.UserID)
	s.Want(got, err, want)
	got.SealedSecret[0], got.RecoveryHashes[0] = 9, "changed"
	got, err = s.Factors.Of(s.Context(), want.UserID)
	s.Want(got, err, want)
}
