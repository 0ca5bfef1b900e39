package projects

import (
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func taskClauses() []clause {
	return []clause{
		{"a task comes back as it was stored", taskComesBack},
		{"a task that is not there is not found", taskNotFound},
		{"tasks are listed by age, each project's own", tasksByAge},
		{"an update of a task keeps what cannot change", taskUpdate},
		{"open tasks of a workspace are counted", tasksCounted},
		{"the task that is due for longest is claimed first, and by one caller", taskDue},
		{"interrupted tasks are due at once", tasksInterrupted},
		{"tasks go with their project, and stay without their copy", tasksOfProject},
		{"tasks go in and come out as copies", taskCopies},
		{"no call on tasks outlives its context", tasksEnded},
		{"copies of projects are in no list of projects", copiesHidden},
		{"copies of projects go with their project", copiesGo},
		{"a project is a copy of one that is there", copyNeedsProject},
	}
}

func newTask(s testCase, project core.ID) core.Task {
	at := s.Now()
	return core.Task{
		ID: core.NewID(), ProjectID: project, CopyID: core.NewID(), ChatID: core.NewID(), Title: "Dark mode", State: core.TaskOpen,
		Text: "make it dark", Mode: core.ModeBuild, CreatedBy: core.NewID(), CreatedAt: at, UpdatedAt: at,
	}
}

func task(s testCase, project core.ID, alter ...func(*core.Task)) core.Task {
	s.Helper()
	made := newTask(s, project)
	for _, alter := range alter {
		alter(&made)
	}
	s.Must(s.Tasks.Create(s.Context(), made))
	return made
}

func taskComesBack(s testCase) {
	project := s.Project(s.Workspace().ID)
	plain, full := newTask(s, project.ID), newTask(s, project.ID)
	full.State, full.Model, full.Base, full.Work, full.Resolving, full.By = core.TaskMerging, "m", "b1", "w1", true, core.NewID()
	full.Conflicts = []core.MergeConflict{{Path: "a.txt", Message: "it's \"odd\" \\ ?"}}
	full.Problem, full.VersionID, full.DueAt = "no", "v1", s.Now()
	full.Checks = core.TaskChecks{State: core.ChecksFailed, Passed: []string{"a"}, Failed: []core.TaskCheckFailed{{Name: "a", Title: "A", Message: "m", PassedBefore: true}}}
	for _, made := range []core.Task{plain, full} {
		s.Must(s.Tasks.Create(s.Context(), made))
		got, err := s.Tasks.ByID(s.Context(), made.ID)
		s.Want(got, err, made)
	}
	for _, text := range fixture.Unstorable() {
		wrong := newTask(s, project.ID)
		wrong.Text = text
		s.WantCode(s.Tasks.Create(s.Context(), wrong), core.CodeValidationFailed)
	}
	s.WantCode(s.Tasks.Create(s.Context(), newTask(s, core.NewID())), core.CodeNotFound)
	s.WantCode(s.Tasks.Create(s.Context(), plain), core.CodeConflict)
}

func taskNotFound(s testCase) {
	task(s, s.Project(s.Workspace().ID).ID)
	for _, text := range append(fixture.Unstorable(), string(core.NewID()), "") {
		_, err := s.Tasks.ByID(s.Context(), core.ID(text))
		s.WantCode(err, core.CodeNotFound)
		_, err = s.Tasks.Update(s.Context(), core.ID(text), func(*core.Task) error { return nil })
		s.WantCode(err, core.CodeNotFound)
		s.WantCode(s.Tasks.Delete(s.Context(), core.ID(text)), core.CodeNotFound)
		all, err := s.Tasks.List(s.Context(), core.ID(text))
		s.Want(len(all), err, 0)
	}
}

func tasksByAge(s testCase) {
	project, other := s.Project(s.Workspace().ID), s.Project(s.Workspace().ID)
	late := task(s, project.ID, func(t *core.Task) { t.CreatedAt += 2 })
	early := task(s, project.ID)
	task(s, other.ID)
	got, err := s.Tasks.List(s.Context(), project.ID)
	s.Want(got, err, []core.Task{early, late})
	s.Must(s.Tasks.Delete(s.Context(), early.ID))
	got, err = s.Tasks.List(s.Context(), project.ID)
	s.Want(got, err, []core.Task{late})
}

func taskUpdate(s testCase) {
	made := task(s, s.Project(s.Workspace().ID).ID)
	got, err := s.Tasks.Update(s.Context(), made.ID, func(t *core.Task) error {
		t.ID, t.ProjectID, t.CreatedBy, t.CreatedAt = core.NewID(), core.NewID(), core.NewID(), 1
		t.State, t.Title = core.TaskMerged, "Other"
		return nil
	})
	want := made
	want.State, want.Title = core.TaskMerged, "Other"
	s.Want(got, err, want)
	refused := core.Errorf(core.CodeConflict, "no")
	_, err = s.Tasks.Update(s.Context(), made.ID, func(t *core.Task) error { t.Title = "lost"; return refused })
	s.WantCode(err, core.CodeConflict)
	got, err = s.Tasks.ByID(s.Context(), made.ID)
	s.Want(got, err, want)
	for _, text := range fixture.Unstorable() {
		_, err = s.Tasks.Update(s.Context(), made.ID, func(t *core.Task) error { t.Problem = text; return nil })
		s.WantCode(err, core.CodeValidationFailed)
	}
}

func tasksCounted(s testCase) {
	workspace := s.Workspace()
	task(s, s.Project(workspace.ID).ID)
	task(s, s.Project(workspace.ID).ID, func(t *core.Task) { t.State = core.TaskStarting })
	task(s, s.Project(workspace.ID).ID, func(t *core.Task) { t.State = core.TaskMerged })
	task(s, s.Project(s.Workspace().ID).ID)
	got, err := s.Tasks.CountOpen(s.Context(), workspace.ID)
	s.Want(got, err, 2)
	got, err = s.Tasks.CountOpen(s.Context(), core.NewID())
	s.Want(got, err, 0)
}

func taskDue(s testCase) {
	project := s.Project(s.Workspace().ID)
	task(s, project.ID)
	late := task(s, project.ID, func(t *core.Task) { t.DueAt = 20 })
	early := task(s, project.ID, func(t *core.Task) { t.DueAt = 10 })
	_, err := s.Tasks.Claim(s.Context(), 9, 50)
	s.WantCode(err, core.CodeNotFound)
	early.DueAt, late.DueAt = 50, 50
	got, err := s.Tasks.Claim(s.Context(), 30, 50)
	s.Want(got, err, early)
	got, err = s.Tasks.Claim(s.Context(), 30, 50)
	s.Want(got, err, late)
	_, err = s.Tasks.Claim(s.Context(), 49, 60)
	s.WantCode(err, core.CodeNotFound)
	parallel := task(s, project.ID, func(t *core.Task) { t.DueAt = 1 })
	s.OneOf(4, core.CodeNotFound, func(int) error {
		_, err := s.Tasks.Claim(s.Context(), 5, 100)
		return err
	})
	got, err = s.Tasks.ByID(s.Context(), parallel.ID)
	s.Want(got.DueAt, err, core.Time(100))
}

func tasksInterrupted(s testCase) {
	project := s.Project(s.Workspace().ID)
	idle, leased := task(s, project.ID), task(s, project.ID, func(t *core.Task) { t.DueAt = 1000 })
	s.Must(s.Tasks.Interrupt(s.Context(), 10))
	got, err := s.Tasks.ByID(s.Context(), leased.ID)
	s.Want(got.DueAt, err, core.Time(10))
	got, err = s.Tasks.ByID(s.Context(), idle.ID)
	s.Want(got.DueAt, err, core.Time(0))
}

func tasksOfProject(s testCase) {
	project := s.Project(s.Workspace().ID)
	made := s.Project(project.WorkspaceID, copyOf(project))
	kept := task(s, project.ID, func(t *core.Task) { t.CopyID = made.ID })
	s.Must(s.Projects.Delete(s.Context(), made.ID))
	got, err := s.Tasks.ByID(s.Context(), kept.ID)
	s.Want(got, err, kept)
	s.Must(s.Projects.Delete(s.Context(), project.ID))
	_, err = s.Tasks.ByID(s.Context(), kept.ID)
	s.WantCode(err, core.CodeNotFound)
}

func taskCopies(s testCase) {
	made := newTask(s, s.Project(s.Workspace().ID).ID)
	made.Conflicts = []core.MergeConflict{{Path: "a.txt"}}
	s.Must(s.Tasks.Create(s.Context(), made))
	made.Conflicts[0].Path = "changed"
	got, err := s.Tasks.ByID(s.Context(), made.ID)
	s.Must(err)
	got.Conflicts[0].Path = "changed"
	got, err = s.Tasks.ByID(s.Context(), made.ID)
	s.Want(got.Conflicts[0].Path, err, "a.txt")
}

func tasksEnded(s testCase) {
	made := task(s, s.Project(s.Workspace().ID).ID)
	ended := s.Ended()
	s.WantCode(s.Tasks.Create(ended, newTask(s, made.ProjectID)), core.CodeUnavailable)
	_, err := s.Tasks.ByID(ended, made.ID)
	s.WantCode(err, core.CodeUnavailable)
	_, err = s.Tasks.List(ended, made.ProjectID)
	s.WantCode(err, core.CodeUnavailable)
	_, err = s.Tasks.Update(ended, made.ID, func(*core.Task) error { return nil })
	s.WantCode(err, core.CodeUnavailable)
	_, err = s.Tasks.CountOpen(ended, made.ProjectID)
	s.WantCode(err, core.CodeUnavailable)
	_, err = s.Tasks.Claim(ended, 1, 2)
	s.WantCode(err, core.CodeUnavailable)
	s.WantCode(s.Tasks.Interrupt(ended, 1), core.CodeUnavailable)
	s.WantCode(s.Tasks.Delete(ended, made.ID), core.CodeUnavailable)
}

// copyOf makes a project a copy of another.
func copyOf(of core.Project) func(*core.Project) {
	return func(p *core.Project) { p.CopyOf = &of.ID }
}

func copiesHidden(s testCase) {
	workspace := s.Workspace()
	member := s.Member(workspace.ID, core.RoleOwner)
	deleted := s.Now()
	project := s.Project(workspace.ID)
	living := s.Project(workspace.ID, copyOf(project), func(p *core.Project) { p.Visibility = core.VisibilityPublic })
	gone := s.Project(workspace.ID, copyOf(project), func(p *core.Project) { p.DeletedAt, p.Purging = &deleted, true; p.CreatedAt++ })
	s.Project(workspace.ID, func(p *core.Project) { p.DeletedAt = &deleted })
	lists := map[string]struct {
		filter storage.ProjectFilter
		want   int
	}{
		"a member's":          {storage.ProjectFilter{Member: member.ID}, 1},
		"a member's by name":  {storage.ProjectFilter{Member: member.ID, Query: "shop", Sort: core.SortName}, 1},
		"the public ones":     {storage.ProjectFilter{Public: true}, 0},
		"the trash":           {storage.ProjectFilter{Member: member.ID, Deleted: true}, 1},
		"with copies":         {storage.ProjectFilter{Member: member.ID, Copies: true}, 2},
		"deleted with copies": {storage.ProjectFilter{Member: member.ID, Deleted: true, Copies: true}, 2},
		"being removed":       {storage.ProjectFilter{Purging: true}, 1},
		"deleted long ago":    {storage.ProjectFilter{DeletedBefore: deleted + 1}, 2},
	}
	for name, list := range lists {
		got, err := s.Projects.List(s.Context(), list.filter, core.Page{Limit: 10})
		if err != nil || len(got) != list.want {
			s.Errorf("%s: got %d, %v, want %d", name, len(got), err, list.want)
		}
	}
	got, err := s.Projects.List(s.Context(), storage.ProjectFilter{CopyOf: project.ID}, core.Page{Limit: 10})
	s.Want(got, err, []core.Project{gone, living})
	count, err := s.Projects.Count(s.Context(), workspace.ID)
	s.Want(count, err, 2)
	seen, err := s.Files.SeenBy(s.Context(), living.ID, member.ID)
	s.Want(seen.Access.Copy, err, true)
	on, err := s.Users.OnProject(s.Context(), member.ID, project.ID)
	s.Want(on.Access.Copy, err, false)
}

func copiesGo(s testCase) {
	project := s.Project(s.Workspace().ID)
	made := s.Project(project.WorkspaceID, copyOf(project))
	chat := s.NewChat(made.ID)
	s.Must(s.Chats.Create(s.Context(), chat))
	s.Must(s.Projects.Delete(s.Context(), project.ID))
	_, err := s.Projects.ByID(s.Context(), made.ID)
	s.WantCode(err, core.CodeNotFound)
	_, err = s.Chats.ByID(s.Context(), chat.ID)
	s.WantCode(err, core.CodeNotFound)
}

func copyNeedsProject(s testCase) {
	project := s.NewProject(s.Workspace().ID)
	nowhere := core.NewID()
	project.CopyOf = &nowhere
	s.WantCode(s.Projects.Create(s.Context(), project), core.CodeNotFound)
}
