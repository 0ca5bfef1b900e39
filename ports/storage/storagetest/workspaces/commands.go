package workspaces

import (
	"sync/atomic"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func commandClauses() []clause {
	return []clause{
		{"a command comes back as it was stored", commandComesBack},
		{"a command belongs to a workspace and goes with it", commandOfWorkspace},
		{"a command that is not there is not found", commandNotFound},
		{"of parallel commands of one name one is stored", commandNameInUse},
		{"commands are listed by name, byte by byte", commandsByName},
		{"an update of a command works as a user's", commandUpdate},
		{"parallel updates of a command lose nothing", commandUpdatesInParallel},
		{"deleting a command leaves the others and frees its name", commandDelete},
	}
}

func (s testCase) newCommand(workspace core.ID, name string) core.Command {
	at := s.Now()
	return core.Command{ID: core.NewID(), WorkspaceID: workspace, Name: name, CreatedAt: at, UpdatedAt: at}
}

func (s testCase) command(workspace core.ID, name string) core.Command {
	s.Helper()
	command := s.newCommand(workspace, name)
	s.Must(s.Commands.Create(s.Context(), command))
	return command
}

func commandComesBack(s testCase) {
	workspace := s.Workspace()
	full := s.newCommand(workspace.ID, "review")
	full.Description, full.Text = `Reviews "\ it's % 東京`, "Review $ARGUMENTS.\n<b>&"
	for _, command := range []core.Command{full, s.newCommand(workspace.ID, "bare")} {
		s.Must(s.Commands.Create(s.Context(), command))
		got, err := s.Commands.ByName(s.Context(), workspace.ID, command.Name)
		s.Want(got, err, command)
	}
	full.Name = "other"
	s.WantCode(s.Commands.Create(s.Context(), full), core.CodeConflict)
	for _, alter := range []func(*core.Command){
		func(c *core.Command) { c.Text = fixture.Unstorable()[0] },
		func(c *core.Command) { c.Description = fixture.Unstorable()[1] },
	} {
		command := s.newCommand(workspace.ID, "refused")
		alter(&command)
		s.WantCode(s.Commands.Create(s.Context(), command), core.CodeValidationFailed)
	}
	_, err := s.Commands.ByName(s.Context(), workspace.ID, "refused")
	s.WantCode(err, core.CodeNotFound)
}

func commandOfWorkspace(s testCase) {
	doomed, kept := s.Workspace(), s.Workspace()
	s.command(doomed.ID, "review")
	want := s.command(kept.ID, "review")
	s.WantCode(s.Commands.Create(s.Context(), s.newCommand(core.NewID(), "review")), core.CodeNotFound)
	s.Must(s.Workspaces.Delete(s.Context(), doomed.ID))
	_, err := s.Commands.ByName(s.Context(), doomed.ID, "review")
	s.WantCode(err, core.CodeNotFound)
	got, err := s.Commands.List(s.Context(), doomed.ID)
	s.Want(len(got), err, 0)
	got, err = s.Commands.List(s.Context(), kept.ID)
	s.Want(got, err, []core.Command{want})
}

func commandNotFound(s testCase) {
	workspace := s.Workspace()
	s.command(workspace.ID, "review")
	for _, text := range append(fixture.Unstorable(), string(core.NewID()), "REVIEW", "") {
		id := core.ID(text)
		_, err := s.Commands.ByName(s.Context(), workspace.ID, text)
		s.WantCode(err, core.CodeNotFound)
		_, err = s.Commands.ByName(s.Context(), id, "review")
		s.WantCode(err, core.CodeNotFound)
		got, err := s.Commands.List(s.Context(), id)
		s.Want(len(got), err, 0)
		_, err = s.Commands.Update(s.Context(), id, func(*core.Command) error {
			s.Error("change was called for a command that is not there")
			return nil
		})
		s.WantCode(err, core.CodeNotFound)
		s.WantCode(s.Commands.Delete(s.Context(), id), core.CodeNotFound)
	}
}

func commandNameInUse(s testCase) {
	workspace := s.Workspace()
	s.command(s.Workspace().ID, "review")
	commands := make([]core.Command, 8)
	for i := range commands {
		commands[i] = s.newCommand(workspace.ID, "review")
	}
	var created atomic.Int32
	fixture.Together(len(commands), func(i int) {
		err := s.Commands.Create(s.Context(), commands[i])
		if err == nil {
			created.Add(1)
		} else {
			s.WantCode(err, core.CodeConflict)
		}
	})
	s.Want(created.Load(), nil, int32(1))
	other := s.command(workspace.ID, "ship")
	_, err := s.Commands.Update(s.Context(), other.ID, func(stored *core.Command) error {
		stored.Name = "review"
		return nil
	})
	s.WantCode(err, core.CodeConflict)
	got, err := s.Commands.ByName(s.Context(), workspace.ID, "ship")
	s.Want(got, err, other)
}

func commandsByName(s testCase) {
	workspace := s.Workspace()
	want := []string{"1", "a", "a-b", "aa", "b"}
	for _, i := range []int{3, 0, 2, 4, 1} {
		s.command(workspace.ID, want[i])
	}
	s.command(s.Workspace().ID, "c")
	commands, err := s.Commands.List(s.Context(), workspace.ID)
	got := make([]string, len(commands))
	for i, command := range commands {
		got[i] = command.Name
	}
	s.Want(got, err, want)
}

func commandUpdate(s testCase) {
	workspace, other := s.Workspace(), s.Workspace()
	command, kept := s.command(workspace.ID, "review"), s.command(workspace.ID, "kept")
	want := command
	want.Name, want.Description, want.Text, want.UpdatedAt = "texts", "Writes", "Write.", s.Now()
	got, err := s.Commands.Update(s.Context(), command.ID, func(stored *core.Command) error {
		s.Want(*stored, nil, command)
		*stored = want
		stored.ID, stored.WorkspaceID, stored.CreatedAt = core.NewID(), other.ID, 1
		return nil
	})
	s.Want(got, err, want)
	_, err = s.Commands.Update(s.Context(), command.ID, func(stored *core.Command) error {
		stored.Text = "changed"
		return fixture.ErrStop
	})
	s.Want(err, nil, fixture.ErrStop)
	_, err = s.Commands.Update(s.Context(), command.ID, func(stored *core.Command) error {
		stored.Text = fixture.Unstorable()[0]
		return nil
	})
	s.WantCode(err, core.CodeValidationFailed)
	all, err := s.Commands.List(s.Context(), workspace.ID)
	s.Want(all, err, []core.Command{kept, want})
}

func commandUpdatesInParallel(s testCase) {
	command := s.command(s.Workspace().ID, "review")
	fixture.Together(8, func(int) {
		_, err := s.Commands.Update(s.Context(), command.ID, func(stored *core.Command) error {
			stored.Text += "x"
			return nil
		})
		if err != nil {
			s.Errorf("got %v, want nil", err)
		}
	})
	got, err := s.Commands.ByName(s.Context(), command.WorkspaceID, command.Name)
	s.Want(got.Text, err, "xxxxxxxx")
}

func commandDelete(s testCase) {
	workspace := s.Workspace()
	doomed, kept := s.command(workspace.ID, "review"), s.command(workspace.ID, "ship")
	s.Must(s.Commands.Delete(s.Context(), doomed.ID))
	got, err := s.Commands.List(s.Context(), workspace.ID)
	s.Want(got, err, []core.Command{kept})
	s.WantCode(s.Commands.Delete(s.Context(), doomed.ID), core.CodeNotFound)
	s.command(workspace.ID, doomed.Name)
}
