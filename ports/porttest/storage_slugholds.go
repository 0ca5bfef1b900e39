package porttest

import "github.com/atelierhq/atelier/core"

func storageSlugHoldClauses() []storageClause {
	return []storageClause{
		{"a freed slug is kept for a workspace until its time is over", slugIsHeld},
		{"a slug that is freed again is kept for the last workspace", slugIsHeldAnew},
	}
}

func slugIsHeld(s *storageCase) {
	slug, workspace := string(core.NewID()), s.workspace().ID
	holder := func(now core.Time, want core.ID) {
		s.Helper()
		got, err := s.SlugHolds.Holder(s.Context(), slug, now)
		if want == "" {
			s.wantCode(err, core.CodeNotFound)
			return
		}
		s.want(got, err, want)
	}
	holder(1, "")
	s.must(s.SlugHolds.Hold(s.Context(), slug, workspace, 100))
	holder(1, workspace)
	holder(100, workspace)
	holder(101, "")
	s.must(s.Workspaces.Delete(s.Context(), workspace))
	holder(100, workspace)
	_, err := s.SlugHolds.Holder(s.Context(), "no\x00text", 1)
	s.wantCode(err, core.CodeNotFound)
	s.wantCode(s.SlugHolds.Hold(s.Context(), "no\x00text", workspace, 100), core.CodeValidationFailed)
	_, err = s.SlugHolds.Holder(s.ended(), slug, 1)
	s.wantCode(err, core.CodeUnavailable)
	s.wantCode(s.SlugHolds.Hold(s.ended(), slug, workspace, 200), core.CodeUnavailable)
}

func slugIsHeldAnew(s *storageCase) {
	slug := string(core.NewID())
	for _, workspace := range []core.ID{core.NewID(), core.NewID()} {
		s.must(s.SlugHolds.Hold(s.Context(), slug, workspace, 100))
		got, err := s.SlugHolds.Holder(s.Context(), slug, 100)
		s.want(got, err, workspace)
	}
}
