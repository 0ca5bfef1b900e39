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
	add := func(workspace core.ID, day, model string, input, output int64, cost float64) {
		s.Helper()
		s.Must(s.Usage.Add(s.Context(), workspace, core.UsageRow{Day: day, Model: model, InputTokens: input, OutputTokens: output, Cost: cost}))
	}
	add(workspace.ID, "2026-01-02", "b", 1, 2, 0.25)
	add(workspace.ID, "2026-01-10", "B", 5, 6, 0)
	add(workspace.ID, "2026-01-10", "a", 1<<40, 3, 0.5)
	add(workspace.ID, "2026-01-02", "b", 10, 20, 0.5)
	add(other.ID, "2026-01-02", "b", 9, 9, 9)
	got, err := s.Usage.List(s.Context(), workspace.ID)
	s.Want(got, err, []core.UsageRow{
		{Day: "2026-01-10", Model: "B", InputTokens: 5, OutputTokens: 6},
		{Day: "2026-01-10", Model: "a", InputTokens: 1 << 40, OutputTokens: 3, Cost: 0.5},
		{Day: "2026-01-02", Model: "b", InputTokens: 11, OutputTokens: 22, Cost: 0.75},
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
