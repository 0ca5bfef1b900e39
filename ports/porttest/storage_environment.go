package porttest

import (
	"bytes"
	"fmt"

	"github.com/atelierhq/atelier/core"
)

func storageEnvironmentClauses() []storageClause {
	return []storageClause{
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

func (s *storageCase) newVariable(project core.ID, key string) core.Variable {
	at := s.now()
	return core.Variable{Key: key, ProjectID: project, SealedValue: []byte("sealed " + key), CreatedAt: at, UpdatedAt: at}
}

func (s *storageCase) variable(project core.ID, key string) core.Variable {
	s.Helper()
	variable := s.newVariable(project, key)
	stored, err := s.Environment.Put(s.Context(), variable)
	s.want(stored, err, variable)
	return variable
}

func variableComesBack(s *storageCase) {
	project := s.project(s.workspace().ID)
	odd := s.newVariable(project.ID, "odd")
	odd.SealedValue = []byte("\x00\xff'\\?\n")
	large := s.newVariable(project.ID, "large")
	large.SealedValue = bytes.Repeat([]byte("\x00'\xff?"), core.MaxVariableBytes/4+100)
	for _, variable := range []core.Variable{odd, large} {
		stored, err := s.Environment.Put(s.Context(), variable)
		s.want(stored, err, variable)
		got, err := s.Environment.ByKey(s.Context(), project.ID, variable.Key)
		s.want(got, err, variable)
	}
	for _, text := range unstorable {
		_, err := s.Environment.Put(s.Context(), s.newVariable(project.ID, text))
		s.wantCode(err, core.CodeValidationFailed)
	}
	_, err := s.Environment.Put(s.Context(), s.newVariable(core.NewID(), "key"))
	s.wantCode(err, core.CodeNotFound)
}

func variableReplaces(s *storageCase) {
	project, other := s.project(s.workspace().ID), s.project(s.workspace().ID)
	first, foreign := s.variable(project.ID, "key"), s.variable(other.ID, "key")
	s.variable(project.ID, "KEY")
	second := s.newVariable(project.ID, "key")
	second.SealedValue = []byte("other")
	stored, err := s.Environment.Put(s.Context(), second)
	second.CreatedAt = first.CreatedAt
	s.want(stored, err, second)
	got, err := s.Environment.ByKey(s.Context(), project.ID, "key")
	s.want(got, err, second)
	all, err := s.Environment.List(s.Context(), project.ID)
	s.want(len(all), err, 2)
	got, err = s.Environment.ByKey(s.Context(), other.ID, "key")
	s.want(got, err, foreign)
}

func variablesInParallel(s *storageCase) {
	project := s.project(s.workspace().ID)
	variables := make([]core.Variable, 8)
	for i := range variables {
		variables[i] = s.newVariable(project.ID, "key")
	}
	together(len(variables), func(i int) {
		if _, err := s.Environment.Put(s.Context(), variables[i]); err != nil {
			s.Errorf("got %v, want nil", err)
		}
	})
	all, err := s.Environment.List(s.Context(), project.ID)
	s.want(len(all), err, 1)
}

func variableNotFound(s *storageCase) {
	project := s.project(s.workspace().ID)
	s.variable(project.ID, "key")
	for _, text := range append(unstorable, string(core.NewID()), "KEY", "") {
		_, err := s.Environment.ByKey(s.Context(), project.ID, text)
		s.wantCode(err, core.CodeNotFound)
		s.wantCode(s.Environment.Delete(s.Context(), project.ID, text), core.CodeNotFound)
		id := core.ID(text)
		_, err = s.Environment.ByKey(s.Context(), id, "key")
		s.wantCode(err, core.CodeNotFound)
		s.wantCode(s.Environment.Delete(s.Context(), id, "key"), core.CodeNotFound)
		all, err := s.Environment.List(s.Context(), id)
		s.want(len(all), err, 0)
	}
}

func variablesByKey(s *storageCase) {
	project := s.project(s.workspace().ID)
	want := []string{"A", "A1", "B", "_", "a", "aa", "b"}
	for _, i := range []int{3, 6, 0, 2, 5, 1, 4} {
		s.variable(project.ID, want[i])
	}
	s.variable(s.project(s.workspace().ID).ID, "AA")
	variables, err := s.Environment.List(s.Context(), project.ID)
	got := make([]string, len(variables))
	for i, variable := range variables {
		got[i] = variable.Key
	}
	s.want(got, err, want)
}

func variablesOfProject(s *storageCase) {
	workspace, kept := s.workspace(), s.project(s.workspace().ID)
	first, second := s.project(workspace.ID), s.project(workspace.ID)
	s.variable(kept.ID, "key")
	for _, id := range []core.ID{first.ID, second.ID} {
		s.variable(id, "key")
	}
	s.must(s.Projects.Delete(s.Context(), first.ID))
	s.must(s.Workspaces.Delete(s.Context(), workspace.ID))
	for id, want := range map[core.ID]int{first.ID: 0, second.ID: 0, kept.ID: 1} {
		all, err := s.Environment.List(s.Context(), id)
		s.want(len(all), err, want)
	}
}

func variableDelete(s *storageCase) {
	project := s.project(s.workspace().ID)
	s.variable(project.ID, "doomed")
	kept := s.variable(project.ID, "kept")
	s.must(s.Environment.Delete(s.Context(), project.ID, "doomed"))
	s.wantCode(s.Environment.Delete(s.Context(), project.ID, "doomed"), core.CodeNotFound)
	all, err := s.Environment.List(s.Context(), project.ID)
	s.want(all, err, []core.Variable{kept})
}

func variableCopies(s *storageCase) {
	project, value := s.project(s.workspace().ID), []byte("before")
	variable := s.newVariable(project.ID, "key")
	variable.SealedValue = value
	stored, err := s.Environment.Put(s.Context(), variable)
	s.must(err)
	copy(value, "after!")
	copy(stored.SealedValue, "after!")
	for range 2 {
		got, err := s.Environment.ByKey(s.Context(), project.ID, "key")
		s.want(string(got.SealedValue), err, "before")
		copy(got.SealedValue, "after!")
		all, err := s.Environment.List(s.Context(), project.ID)
		s.want(string(all[0].SealedValue), err, "before")
		copy(all[0].SealedValue, "after!")
	}
}

func variablesRollBack(s *storageCase) {
	project := s.project(s.workspace().ID)
	before := s.variable(project.ID, "key")
	err := s.store.InTx(s.Context(), inTx(func(in storageTx) error {
		for i := range 3 {
			_, err := in.Environment.Put(in.ctx, s.newVariable(project.ID, fmt.Sprint("new", i)))
			s.must(err)
		}
		changed := s.newVariable(project.ID, "key")
		changed.SealedValue = []byte("other")
		_, err := in.Environment.Put(in.ctx, changed)
		s.must(err)
		s.must(in.Environment.Delete(in.ctx, project.ID, "new0"))
		_, err = in.Environment.Put(in.ctx, s.newVariable(core.NewID(), "key"))
		s.wantCode(err, core.CodeNotFound)
		all, err := in.Environment.List(in.ctx, project.ID)
		s.want(len(all), err, 3)
		return errStop
	}))
	s.want(err, nil, errStop)
	all, err := s.Environment.List(s.Context(), project.ID)
	s.want(all, err, []core.Variable{before})
}

func variablesEnded(s *storageCase) {
	project := s.project(s.workspace().ID)
	variable := s.variable(project.ID, "key")
	_, err := s.Environment.Put(s.ended(), variable)
	s.wantCode(err, core.CodeUnavailable)
	_, err = s.Environment.ByKey(s.ended(), project.ID, "key")
	s.wantCode(err, core.CodeUnavailable)
	_, err = s.Environment.List(s.ended(), project.ID)
	s.wantCode(err, core.CodeUnavailable)
	s.wantCode(s.Environment.Delete(s.ended(), project.ID, "key"), core.CodeUnavailable)
}
