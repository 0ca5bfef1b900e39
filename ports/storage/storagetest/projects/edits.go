package projects

import (
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func editClauses() []clause {
	return []clause{
		{"an edit is stored with the rows and stays through other changes", editStored},
		{"edits that are due come the oldest first", editsDue},
		{"an edit is settled unless it is another by now", editSettled},
		{"an edit goes with its project", editGone},
	}
}

func (s testCase) edit(project core.ID, at core.Time, by string) storage.Edit {
	s.Helper()
	edit := storage.Edit{Project: project, At: at, By: by}
	s.apply(project, storage.FileDelta{Edit: &edit})
	return edit
}

func (s testCase) wantEdit(want storage.Edit) {
	s.Helper()
	got, err := s.Edits.Of(s.Context(), want.Project)
	s.Want(got, err, want)
}

func (s testCase) wantNoEdit(project core.ID) {
	s.Helper()
	_, err := s.Edits.Of(s.Context(), project)
	s.WantCode(err, core.CodeNotFound)
}

func editStored(s testCase) {
	project, other := s.Project(s.Workspace().ID), s.Project(s.Workspace().ID)
	s.wantNoEdit(project.ID)
	s.wantNoEdit(core.NewID())
	s.wantNoEdit(core.ID(fixture.Unstorable()[0]))
	edit := storage.Edit{Project: project.ID, At: 10, By: "Ada"}
	s.apply(project.ID, storage.FileDelta{Put: entries("a"), Edit: &edit})
	s.wantEdit(edit)
	s.wantState(project.ID, 1, false)
	s.apply(project.ID, storage.FileDelta{Put: entries("b")})
	s.Must(s.Files.Mark(s.Context(), project.ID))
	s.wantEdit(edit)
	s.wantState(project.ID, 2, true)
	s.wantEdit(s.edit(project.ID, 20, "Ada, Bob"))
	s.wantState(project.ID, 3, false)
	s.wantNoEdit(other.ID)
	broken := storage.Edit{Project: project.ID, At: 30, By: fixture.Unstorable()[0]}
	s.WantCode(s.tryApply(s.Context(), project.ID, storage.FileDelta{Edit: &broken}), core.CodeValidationFailed)
	s.WantCode(s.tryApply(s.Context(), core.NewID(), storage.FileDelta{Edit: &edit}), core.CodeNotFound)
}

// due returns those of the edits that are this case's own: other cases share the store.
func (s testCase) due(until core.Time, own ...storage.Edit) []storage.Edit {
	s.Helper()
	found, err := s.Edits.Due(s.Context(), until, 1000)
	s.Must(err)
	due := []storage.Edit{}
	for _, edit := range found {
		for _, each := range own {
			if edit.Project == each.Project {
				due = append(due, edit)
			}
		}
	}
	return due
}

func editsDue(s testCase) {
	second := s.edit(s.Project(s.Workspace().ID).ID, 120, "Bob")
	first := s.edit(s.Project(s.Workspace().ID).ID, 110, "Ada")
	third := s.edit(s.Project(s.Workspace().ID).ID, 130, "Cy")
	s.Want(s.due(109, first, second, third), nil, []storage.Edit{})
	s.Want(s.due(120, first, second, third), nil, []storage.Edit{first, second})
	s.Want(s.due(500, first, second, third), nil, []storage.Edit{first, second, third})
	first.At = 125
	s.edit(first.Project, first.At, first.By)
	s.Want(s.due(500, first, second, third), nil, []storage.Edit{second, first, third})
	got, err := s.Edits.Due(s.Context(), 500, 1)
	s.Want(len(got), err, 1)
}

func editSettled(s testCase) {
	project := s.Project(s.Workspace().ID)
	before := s.edit(project.ID, 10, "Ada")
	after := s.edit(project.ID, 11, "Ada")
	s.Must(s.Edits.Settle(s.Context(), before))
	s.wantEdit(after)
	for range 2 {
		s.Must(s.Edits.Settle(s.Context(), after))
		s.wantNoEdit(project.ID)
	}
	s.Want(s.due(500, after), nil, []storage.Edit{})
	s.wantState(project.ID, 2, false)
	s.Must(s.Edits.Settle(s.Context(), storage.Edit{Project: core.NewID(), At: 1}))
	s.Must(s.Edits.Settle(s.Context(), storage.Edit{Project: core.ID(fixture.Unstorable()[0]), At: 1}))
}

func editGone(s testCase) {
	project := s.Project(s.Workspace().ID)
	edit := s.edit(project.ID, 10, "Ada")
	s.Must(s.Projects.Delete(s.Context(), project.ID))
	s.wantNoEdit(project.ID)
	s.Want(s.due(500, edit), nil, []storage.Edit{})
}
