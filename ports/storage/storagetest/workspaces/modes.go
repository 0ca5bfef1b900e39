package workspaces

import (
	"sync/atomic"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func modeClauses() []clause {
	return []clause{
		{"a mode comes back as it was stored", modeComesBack},
		{"a mode belongs to a workspace and goes with it", modeOfWorkspace},
		{"a mode that is not there is not found", modeNotFound},
		{"a workspace's modes differ by name", modeNameInUse},
		{"of parallel modes of one name one is stored", modeNameInUseInParallel},
		{"modes are listed by name, byte by byte", modesByName},
		{"an update of a mode works as a user's", modeUpdate},
		{"parallel updates of a mode lose nothing", modeUpdatesInParallel},
		{"deleting a mode leaves the others and frees its name", modeDelete},
		{"modes go in and come out as copies", modeCopies},
	}
}

func (s testCase) newMode(workspace core.ID, name string) core.Mode {
	at := s.Now()
	return core.Mode{ID: core.NewID(), WorkspaceID: workspace, Name: name, Tools: []string{}, CreatedAt: at, UpdatedAt: at}
}

func (s testCase) mode(workspace core.ID, name string) core.Mode {
	s.Helper()
	mode := s.newMode(workspace, name)
	s.Must(s.Modes.Create(s.Context(), mode))
	return mode
}

func modeComesBack(s testCase) {
	workspace := s.Workspace()
	full := s.newMode(workspace.ID, `Copy "\ it's % 東京`)
	full.Prompt, full.Model = "Write.\nWell <b>&", new("p/llama'3")
	full.Thinking = new(core.ThinkingHigh)
	full.Tools = []string{"write_file", `odd "\ it's`, "", "read_file"}
	bare := s.newMode(workspace.ID, "bare")
	bare.Tools = nil
	for _, mode := range []core.Mode{full, bare, s.newMode(workspace.ID, "empty")} {
		s.Must(s.Modes.Create(s.Context(), mode))
		got, err := s.Modes.ByName(s.Context(), workspace.ID, mode.Name)
		s.Want(got, err, mode)
	}
	full.Name = "other"
	s.WantCode(s.Modes.Create(s.Context(), full), core.CodeConflict)
	for _, alter := range []func(*core.Mode){
		func(m *core.Mode) { m.Prompt = fixture.Unstorable()[0] },
		func(m *core.Mode) { m.Tools = []string{"read_file", fixture.Unstorable()[1]} },
		func(m *core.Mode) { m.Model = &fixture.Unstorable()[0] },
	} {
		mode := s.newMode(workspace.ID, "refused")
		alter(&mode)
		s.WantCode(s.Modes.Create(s.Context(), mode), core.CodeValidationFailed)
	}
	_, err := s.Modes.ByName(s.Context(), workspace.ID, "refused")
	s.WantCode(err, core.CodeNotFound)
}

func modeOfWorkspace(s testCase) {
	doomed, kept := s.Workspace(), s.Workspace()
	s.mode(doomed.ID, "copy")
	want := s.mode(kept.ID, "copy")
	s.WantCode(s.Modes.Create(s.Context(), s.newMode(core.NewID(), "copy")), core.CodeNotFound)
	s.Must(s.Workspaces.Delete(s.Context(), doomed.ID))
	_, err := s.Modes.ByName(s.Context(), doomed.ID, "copy")
	s.WantCode(err, core.CodeNotFound)
	got, err := s.Modes.List(s.Context(), doomed.ID)
	s.Want(len(got), err, 0)
	got, err = s.Modes.List(s.Context(), kept.ID)
	s.Want(got, err, []core.Mode{want})
}

func modeNotFound(s testCase) {
	workspace := s.Workspace()
	s.mode(workspace.ID, "copy")
	for _, text := range append(fixture.Unstorable(), string(core.NewID()), "COPY", "") {
		id := core.ID(text)
		_, err := s.Modes.ByName(s.Context(), workspace.ID, text)
		s.WantCode(err, core.CodeNotFound)
		_, err = s.Modes.ByName(s.Context(), id, "copy")
		s.WantCode(err, core.CodeNotFound)
		got, err := s.Modes.List(s.Context(), id)
		s.Want(len(got), err, 0)
		_, err = s.Modes.Update(s.Context(), id, func(*core.Mode) error {
			s.Error("change was called for a mode that is not there")
			return nil
		})
		s.WantCode(err, core.CodeNotFound)
		s.WantCode(s.Modes.Delete(s.Context(), id), core.CodeNotFound)
	}
}

func modeNameInUse(s testCase) {
	workspace, other := s.Workspace(), s.Workspace()
	first, second := s.mode(workspace.ID, "copy"), s.mode(workspace.ID, "review")
	s.mode(other.ID, "copy")
	s.WantCode(s.Modes.Create(s.Context(), s.newMode(workspace.ID, "copy")), core.CodeConflict)
	_, err := s.Modes.Update(s.Context(), second.ID, func(stored *core.Mode) error {
		stored.Name, stored.Prompt = "copy", "changed"
		return nil
	})
	s.WantCode(err, core.CodeConflict)
	got, err := s.Modes.List(s.Context(), workspace.ID)
	s.Want(got, err, []core.Mode{first, second})
}

func modeNameInUseInParallel(s testCase) {
	workspace := s.Workspace()
	modes := make([]core.Mode, 8)
	for i := range modes {
		modes[i] = s.newMode(workspace.ID, "copy")
	}
	var created atomic.Int32
	fixture.Together(len(modes), func(i int) {
		err := s.Modes.Create(s.Context(), modes[i])
		if err == nil {
			created.Add(1)
		} else {
			s.WantCode(err, core.CodeConflict)
		}
	})
	s.Want(created.Load(), nil, int32(1))
	got, err := s.Modes.List(s.Context(), workspace.ID)
	s.Want(len(got), err, 1)
}

func modesByName(s testCase) {
	workspace := s.Workspace()
	want := []string{"B", "B a", "a", "a-b", "aa", "Äpfel", "東"}
	for _, i := range []int{3, 6, 0, 2, 5, 1, 4} {
		s.mode(workspace.ID, want[i])
	}
	s.mode(s.Workspace().ID, "A")
	modes, err := s.Modes.List(s.Context(), workspace.ID)
	got := make([]string, len(modes))
	for i, mode := range modes {
		got[i] = mode.Name
	}
	s.Want(got, err, want)
}

func modeUpdate(s testCase) {
	workspace, other := s.Workspace(), s.Workspace()
	mode, kept := s.mode(workspace.ID, "copy"), s.mode(workspace.ID, "kept")
	want := mode
	want.Name, want.Prompt, want.Tools, want.Model, want.UpdatedAt = "texts", "Write.", []string{"read_file"}, new("m"), s.Now()
	got, err := s.Modes.Update(s.Context(), mode.ID, func(stored *core.Mode) error {
		s.Want(*stored, nil, mode)
		*stored = want
		stored.ID, stored.WorkspaceID, stored.CreatedAt = core.NewID(), other.ID, 1
		return nil
	})
	s.Want(got, err, want)
	_, err = s.Modes.Update(s.Context(), mode.ID, func(stored *core.Mode) error {
		stored.Prompt, stored.Tools[0] = "changed", "changed"
		return fixture.ErrStop
	})
	s.Want(err, nil, fixture.ErrStop)
	_, err = s.Modes.Update(s.Context(), mode.ID, func(stored *core.Mode) error {
		stored.Prompt, stored.Tools = "changed", fixture.Unstorable()
		return nil
	})
	s.WantCode(err, core.CodeValidationFailed)
	all, err := s.Modes.List(s.Context(), workspace.ID)
	s.Want(all, err, []core.Mode{kept, want})
}

func modeUpdatesInParallel(s testCase) {
	mode := s.mode(s.Workspace().ID, "copy")
	fixture.Together(8, func(int) {
		_, err := s.Modes.Update(s.Context(), mode.ID, func(stored *core.Mode) error {
			stored.Tools = append(stored.Tools, "read_file")
			return nil
		})
		if err != nil {
			s.Errorf("got %v, want nil", err)
		}
	})
	got, err := s.Modes.ByName(s.Context(), mode.WorkspaceID, mode.Name)
	s.Want(len(got.Tools), err, 8)
}

func modeDelete(s testCase) {
	workspace := s.Workspace()
	doomed, kept := s.mode(workspace.ID, "copy"), s.mode(workspace.ID, "review")
	s.Must(s.Modes.Delete(s.Context(), doomed.ID))
	got, err := s.Modes.List(s.Context(), workspace.ID)
	s.Want(got, err, []core.Mode{kept})
	s.WantCode(s.Modes.Delete(s.Context(), doomed.ID), core.CodeNotFound)
	s.mode(workspace.ID, doomed.Name)
}

func modeCopies(s testCase) {
	mode := s.newMode(s.Workspace().ID, "copy")
	mode.Tools, mode.Model = []string{"read_file"}, new("m")
	s.Must(s.Modes.Create(s.Context(), mode))
	mode.Tools[0], *mode.Model = "x", "x"
	for range 2 {
		got, err := s.Modes.ByName(s.Context(), mode.WorkspaceID, mode.Name)
		s.Want(got.Tools, err, []string{"read_file"})
		s.Want(*got.Model, nil, "m")
		got.Tools[0], *got.Model = "y", "y"
	}
}
