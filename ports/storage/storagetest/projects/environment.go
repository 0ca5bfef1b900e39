package projects

import (
	"bytes"
	"fmt"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func environmentClauses() []clause {
	return []clause{
		{"a variable comes back as it was stored", variableComesBack},
		{"a variable takes the place of the project's other one of its key", variableReplaces},
		{"parallel puts of one key leave one variable", variablesInParallel},
		{"a variable that is not there is not found", variableNotFound},
		{"variables are listed by key, byte by byte", variablesByKey},
		{"variables go with their project", variablesOfProject},
		{"deleting a variable leaves the others", variableDelete},
		{"variables go in and come out as copies", variableCopies},
		{"a rollback leaves variables as they were", variablesRollBack},
		{"no call on variables outlives its context", variablesEnded},
	}
}

func (s testCase) newVariable(project core.ID, key string) core.Variable {
	at := s.Now()
	return core.Variable{Key: key, ProjectID: project, SealedValue: []byte("sealed " + key), CreatedAt: at, UpdatedAt: at}
}

func (s testCase) variable(project core.ID, key string) core.Variable {
	s.Helper()
	variable := s.newVariable(project, key)
	stored, err := s.Environment.Put(s.Context(), variable)
	s.Want(stored, err, variable)
	return variable
}

func variableComesBack(s testCase) {
	project := s.Project(s.Workspace().ID)
	odd := s.newVariable(project.ID, "odd")
	odd.SealedValue = []byte("\x00\xff'\\?\n")
	large := s.newVariable(project.ID, "large")
	large.SealedValue = bytes.Repeat([]byte("\x00'\xff?"), core.MaxVariableBytes/4+100)
	for _, variable := range []core.Variable{odd, large} {
		stored, err := s.Environment.Put(s.Context(), variable)
		s.Want(stored, err, variable)
		got, err := s.Environment.ByKey(s.Context(), project.ID, variable.Key)
		s.Want(got, err, variable)
	}
	for _, text := range fixture.Unstorable() {
		_, err := s.Environment.Put(s.Context(), s.newVariable(project.ID, text))
		s.WantCode(err, core.CodeValidationFailed)
	}
	_, err := s.Environment.Put(s.Context(), s.newVariable(core.NewID(), "key"))
	s.WantCode(err, core.CodeNotFound)
}

func variableReplaces(s testCase) {
	project, other := s.Project(s.Workspace().ID), s.Project(s.Workspace().ID)
	first, foreign := s.variable(project.ID, "key"), s.variable(other.ID, "key")
	s.variable(project.ID, "KEY")
	second := s.newVariable(project.ID, "key")
	second.SealedValue = []byte("other")
	stored, err := s.Environment.Put(s.Context(), second)
	second.CreatedAt = first.CreatedAt
	s.Want(stored, err, second)
	got, err := s.Environment.ByKey(s.Context(), project.ID, "key")
	s.Want(got, err, second)
	all, err := s.Environment.List(s.Context(), project.ID)
	s.Want(len(all), err, 2)
	got, err = s.Environment.ByKey(s.Context(), other.ID, "key")
	s.Want(got, err, foreign)
}

func variablesInParallel(s testCase) {
	project := s.Project(s.Workspace().ID)
	variables := make([]core.Variable, 8)
	for i := range variables {
		variables[i] = s.newVariable(project.ID, "key")
	}
	fixture.Together(len(variables), func(i int) {
		if _, err := s.Environment.Put(s.Context(), variables[i]); err != nil {
			s.Errorf("got %v, want nil", err)
		}
	})
	all, err := s.Environment.List(s.Context(), project.ID)
	s.Want(len(all), err, 1)
}

func variableNotFound(s testCase) {
	project := s.Project(s.Workspace().ID)
	s.variable(project.ID, "key")
	for _, text := range append(fixture.Unstorable(), string(core.NewID()), "KEY", "") {
		_, err := s.Environment.ByKey(s.Context(), project.ID, text)
		s.WantCode(err, core.CodeNotFound)
		s.WantCode(s.Environment.Delete(s.Context(), project.ID, text), core.CodeNotFound)
		id := core.ID(text)
		_, err = s.Environment.ByKey(s.Context(), id, "key")
		s.WantCode(err, core.CodeNotFound)
		s.WantCode(s.Environment.Delete(s.Context(), id, "key"), core.CodeNotFound)
		all, err := s.Environment.List(s.Context(), id)
		s.Want(len(all), err, 0)
	}
}

func variablesByKey(s testCase) {
	project := s.Project(s.Workspace().ID)
	want := []string{"A", "A1", "B", "_", "a", "aa", "b"}
	for _, i := range []int{3, 6, 0, 2, 5, 1, 4} {
		s.variable(project.ID, want[i])
	}
	s.variable(s.Project(s.Workspace().ID).ID, "AA")
	variables, err := s.Environment.List(s.Context(), project.ID)
	got := make([]string, len(variables))
	for i, variable := range variables {
		got[i] = variable.Key
	}
	s.Want(got, err, want)
}

func variablesOfProject(s testCase) {
	workspace, kept := s.Workspace(), s.Project(s.Workspace().ID)
	first, second := s.Project(workspace.ID), s.Project(workspace.ID)
	s.variable(kept.ID, "key")
	for _, id := range []core.ID{first.ID, second.ID} {
		s.variable(id, "key")
	}
	s.Must(s.Projects.Delete(s.Context(), first.ID))
	s.Must(s.Workspaces.Delete(s.Context(), workspace.ID))
	for id, want := range map[core.ID]int{first.ID: 0, second.ID: 0, kept.ID: 1} {
		all, err := s.Environment.List(s.Context(), id)
		s.Want(len(all), err, want)
	}
}

func variableDelete(s testCase) {
	project := s.Project(s.Workspace().ID)
	s.variable(project.ID, "doomed")
	kept := s.variable(project.ID, "kept")
	s.Must(s.Environment.Delete(s.Context(), project.ID, "doomed"))
	s.WantCode(s.Environment.Delete(s.Context(), project.ID, "doomed"), core.CodeNotFound)
	all, err := s.Environment.List(s.Context(), project.ID)
	s.Want(all, err, []core.Variable{kept})
}

func variableCopies(s testCase) {
	project, value := s.Project(s.Workspace().ID), []byte("before")
	variable := s.newVariable(project.ID, "key")
	variable.SealedValue = value
	stored, err := s.Environment.Put(s.Context(), variable)
	s.Must(err)
	copy(value, "after!")
	copy(stored.SealedValue, "after!")
	for range 2 {
		got, err := s.Environment.ByKey(s.Context(), project.ID, "key")
		s.Want(string(got.SealedValue), err, "before")
		copy(got.SealedValue, "after!")
		all, err := s.Environment.List(s.Context(), project.ID)
		s.Want(string(all[0].SealedValue), err, "before")
		copy(all[0].SealedValue, "after!")
	}
}

func variablesRollBack(s testCase) {
	project := s.Project(s.Workspace().ID)
	before := s.variable(project.ID, "key")
	err := s.Store.InTx(s.Context(), fixture.InTx(func(in fixture.Tx) error {
		for i := range 3 {
			_, err := in.Environment.Put(in.Ctx, s.newVariable(project.ID, fmt.Sprint("new", i)))
			s.Must(err)
		}
		changed := s.newVariable(project.ID, "key")
		changed.SealedValue = []byte("other")
		_, err := in.Environment.Put(in.Ctx, changed)
		s.Must(err)
		s.Must(in.Environment.Delete(in.Ctx, project.ID, "new0"))
		_, err = in.Environment.Put(in.Ctx, s.newVariable(core.NewID(), "key"))
		s.WantCode(err, core.CodeNotFound)
		all, err := in.Environment.List(in.Ctx, project.ID)
		s.Want(len(all), err, 3)
		return fixture.ErrStop
	}))
	s.Want(err, nil, fixture.ErrStop)
	all, err := s.Environment.List(s.Context(), project.ID)
	s.Want(all, err, []core.Variable{before})
}

func variablesEnded(s testCase) {
	project := s.Project(s.Workspace().ID)
	variable := s.variable(project.ID, "key")
	_, err := s.Environment.Put(s.Ended(), variable)
	s.WantCode(err, core.CodeUnavailable)
	_, err = s.Environment.ByKey(s.Ended(), project.ID, "key")
	s.WantCode(err, core.CodeUnavailable)
	_, err = s.Environment.List(s.Ended(), project.ID)
	s.WantCode(err, core.CodeUnavailable)
	s.WantCode(s.Environment.Delete(s.Ended(), project.ID, "key"), core.CodeUnavailable)
}
