package credit

import (
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func usageClauses() []clause {
	return []clause{
		{"use adds up by day and model, the newest day first", usageSums},
		{"parallel use loses nothing", usageInParallel},
		{"use belongs to a workspace", usageOfNothing},
	}
}

func usageSums(s testCase) {
	workspace, other := s.Workspace(), s.Workspace()
	add := func(workspace core.ID, row core.UsageRow) {
		s.Helper()
		s.Must(s.Usage.Add(s.Context(), workspace, row))
	}
	add(workspace.ID, core.UsageRow{Day: "2026-01-02", Model: "b", InputTokens: 4, CachedTokens: 3, OutputTokens: 2, Cost: 0.25})
	add(workspace.ID, core.UsageRow{Day: "2026-01-10", Model: "B", InputTokens: 5, OutputTokens: 6})
	add(workspace.ID, core.UsageRow{Day: "2026-01-10", Model: "a", InputTokens: 1 << 40, CachedTokens: 1 << 39, OutputTokens: 3, Cost: 0.5})
	add(workspace.ID, core.UsageRow{Day: "2026-01-02", Model: "b", InputTokens: 10, CachedTokens: 5, OutputTokens: 20, Cost: 0.5})
	add(other.ID, core.UsageRow{Day: "2026-01-02", Model: "b", InputTokens: 9, CachedTokens: 9, OutputTokens: 9, Cost: 9})
	got, err := s.Usage.List(s.Context(), workspace.ID)
	s.Want(got, err, []core.UsageRow{
		{Day: "2026-01-10", Model: "B", InputTokens: 5, OutputTokens: 6},
		{Day: "2026-01-10", Model: "a", InputTokens: 1 << 40, CachedTokens: 1 << 39, OutputTokens: 3, Cost: 0.5},
		{Day: "2026-01-02", Model: "b", InputTokens: 14, CachedTokens: 8, OutputTokens: 22, Cost: 0.75},
	})
}

func usageInParallel(s testCase) {
	workspace := s.Workspace()
	fixture.Together(16, func(int) {
		row := core.UsageRow{Day: "2026-01-02", Model: "m", InputTokens: 1, OutputTokens: 2, Cost: 0.25}
		if err := s.Usage.Add(s.Context(), workspace.ID, row); err != nil {
			s.Errorf("got %v, want nil", err)
		}
	})
	got, err := s.Usage.List(s.Context(), workspace.ID)
	s.Want(got, err, []core.UsageRow{{Day: "2026-01-02", Model: "m", InputTokens: 16, OutputTokens: 32, Cost: 4}})
}

func usageOfNothing(s testCase) {
	s.WantCode(s.Usage.Add(s.Context(), core.NewID(), core.UsageRow{}), core.CodeNotFound)
	s.WantCode(s.Usage.Add(s.Context(), core.ID(fixture.Unstorable()[0]), core.UsageRow{}), core.CodeNotFound)
	s.WantCode(s.Usage.Add(s.Context(), s.Workspace().ID, core.UsageRow{Model: fixture.Unstorable()[0]}), core.CodeValidationFailed)
	got, err := s.Usage.List(s.Context(), core.NewID())
	s.Want(len(got), err, 0)
}
