package projects

import "github.com/atelierhq/atelier/core"

func slugHoldClauses() []clause {
	return []clause{
		{"a freed slug is kept for a workspace until its time is over", slugIsHeld},
		{"a slug that is freed again is kept for the last workspace", slugIsHeldAnew},
	}
}

func slugIsHeld(s testCase) {
	slug, workspace := string(core.NewID()), s.Workspace().ID
	holder := func(now core.Time, want core.ID) {
		s.Helper()
		got, err := s.SlugHolds.Holder(s.Context(), slug, now)
		if want == "" {
			s.WantCode(err, core.CodeNotFound)
			return
		}
		s.Want(got, err, want)
	}
	holder(1, "")
	s.Must(s.SlugHolds.Hold(s.Context(), slug, workspace, 100))
	holder(1, workspace)
	holder(100, workspace)
	holder(101, "")
	s.Must(s.Workspaces.Delete(s.Context(), workspace))
	holder(100, workspace)
	_, err := s.SlugHolds.Holder(s.Context(), "no\x00text", 1)
	s.WantCode(err, core.CodeNotFound)
	s.WantCode(s.SlugHolds.Hold(s.Context(), "no\x00text", workspace, 100), core.CodeValidationFailed)
	_, err = s.SlugHolds.Holder(s.Ended(), slug, 1)
	s.WantCode(err, core.CodeUnavailable)
	s.WantCode(s.SlugHolds.Hold(s.Ended(), slug, workspace, 200), core.CodeUnavailable)
}

func slugIsHeldAnew(s testCase) {
	slug := string(core.NewID())
	for _, workspace := range []core.ID{core.NewID(), core.NewID()} {
		s.Must(s.SlugHolds.Hold(s.Context(), slug, workspace, 100))
		got, err := s.SlugHolds.Holder(s.Context(), slug, 100)
		s.Want(got, err, workspace)
	}
}
