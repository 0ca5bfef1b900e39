package workspaces

import (
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func sharedTemplateClauses() []clause {
	return []clause{
		{"a shared template comes back as it was stored", sharedTemplateComesBack},
		{"a shared template that is not there is not found", sharedTemplateNotFound},
		{"shared templates are listed newest first, each workspace's own", sharedTemplatesByAge},
		{"an update of a shared template keeps what cannot change", sharedTemplateUpdate},
		{"what a shared template holds is replaced as a whole, and goes with it", sharedTemplateContent},
		{"shared templates go with their workspace", sharedTemplatesOfWorkspace},
		{"shared templates outlive their project", sharedTemplatesOfProject},
		{"shared templates go in and come out as copies", sharedTemplateCopies},
		{"no call on shared templates outlives its context", sharedTemplatesEnded},
	}
}

func (s testCase) newSharedTemplate(workspace core.ID) core.SharedTemplate {
	at := s.Now()
	return core.SharedTemplate{
		ID: core.NewID(), WorkspaceID: workspace, Name: "Starter", Bytes: 7, TakenAt: at, CreatedBy: core.NewID(), CreatedAt: at, UpdatedAt: at,
	}
}

func (s testCase) sharedTemplate(workspace core.ID, alter ...func(*core.SharedTemplate)) core.SharedTemplate {
	s.Helper()
	template := s.newSharedTemplate(workspace)
	for _, alter := range alter {
		alter(&template)
	}
	s.Must(s.SharedTemplates.Create(s.Context(), template))
	return template
}

func sharedTemplateComesBack(s testCase) {
	workspace := s.Workspace()
	project := s.Project(workspace.ID)
	full := s.newSharedTemplate(workspace.ID)
	full.ProjectID, full.Name, full.Description, full.WithSeed, full.Bytes = &project.ID, `Shop "\ it's % 東京`, "Two\nlines", true, 1<<40
	for _, template := range []core.SharedTemplate{full, s.newSharedTemplate(workspace.ID)} {
		s.Must(s.SharedTemplates.Create(s.Context(), template))
		got, err := s.SharedTemplates.ByID(s.Context(), template.ID)
		s.Want(got, err, template)
		s.WantCode(s.SharedTemplates.Create(s.Context(), template), core.CodeConflict)
	}
	for _, text := range fixture.Unstorable() {
		wrong := s.newSharedTemplate(workspace.ID)
		wrong.Description = text
		s.WantCode(s.SharedTemplates.Create(s.Context(), wrong), core.CodeValidationFailed)
	}
	s.WantCode(s.SharedTemplates.Create(s.Context(), s.newSharedTemplate(core.NewID())), core.CodeNotFound)
	astray, nowhere := s.newSharedTemplate(workspace.ID), core.NewID()
	astray.ProjectID = &nowhere
	s.WantCode(s.SharedTemplates.Create(s.Context(), astray), core.CodeNotFound)
}

func sharedTemplateNotFound(s testCase) {
	template := s.sharedTemplate(s.Workspace().ID)
	_, err := s.SharedTemplates.Content(s.Context(), template.ID)
	s.WantCode(err, core.CodeNotFound)
	for _, text := range append(fixture.Unstorable(), string(core.NewID()), "") {
		id := core.ID(text)
		_, err := s.SharedTemplates.ByID(s.Context(), id)
		s.WantCode(err, core.CodeNotFound)
		_, err = s.SharedTemplates.Update(s.Context(), id, func(*core.SharedTemplate) error { return nil })
		s.WantCode(err, core.CodeNotFound)
		s.WantCode(s.SharedTemplates.Delete(s.Context(), id), core.CodeNotFound)
		s.WantCode(s.SharedTemplates.PutContent(s.Context(), id, core.SharedContent{Archive: []byte("zip")}), core.CodeNotFound)
		_, err = s.SharedTemplates.Content(s.Context(), id)
		s.WantCode(err, core.CodeNotFound)
		all, err := s.SharedTemplates.List(s.Context(), id)
		s.Want(len(all), err, 0)
	}
}

func sharedTemplatesByAge(s testCase) {
	workspace := s.Workspace()
	late := s.sharedTemplate(workspace.ID, func(t *core.SharedTemplate) { t.CreatedAt += 2 })
	early := s.sharedTemplate(workspace.ID)
	s.sharedTemplate(s.Workspace().ID)
	got, err := s.SharedTemplates.List(s.Context(), workspace.ID)
	s.Want(got, err, []core.SharedTemplate{late, early})
	s.Must(s.SharedTemplates.Delete(s.Context(), late.ID))
	got, err = s.SharedTemplates.List(s.Context(), workspace.ID)
	s.Want(got, err, []core.SharedTemplate{early})
}

func sharedTemplateUpdate(s testCase) {
	template := s.sharedTemplate(s.Workspace().ID)
	want := template
	want.Name, want.Description, want.WithSeed, want.Bytes = "Other", "Changed", true, 9
	want.TakenAt, want.UpdatedAt = template.TakenAt+1, template.UpdatedAt+2
	got, err := s.SharedTemplates.Update(s.Context(), template.ID, func(stored *core.SharedTemplate) error {
		s.Want(*stored, nil, template)
		*stored = want
		another := core.NewID()
		stored.ID, stored.WorkspaceID, stored.ProjectID, stored.CreatedBy, stored.CreatedAt = another, another, &another, another, 1
		return nil
	})
	s.Want(got, err, want)
	_, err = s.SharedTemplates.Update(s.Context(), template.ID, func(stored *core.SharedTemplate) error { stored.Name = "lost"; return fixture.ErrStop })
	s.Want(err, nil, fixture.ErrStop)
	_, err = s.SharedTemplates.Update(s.Context(), template.ID, func(stored *core.SharedTemplate) error { stored.Name = fixture.Unstorable()[0]; return nil })
	s.WantCode(err, core.CodeValidationFailed)
	got, err = s.SharedTemplates.ByID(s.Context(), template.ID)
	s.Want(got, err, want)
}

func sharedTemplateContent(s testCase) {
	template, other := s.sharedTemplate(s.Workspace().ID), s.sharedTemplate(s.Workspace().ID)
	kept := core.SharedContent{Archive: []byte("kept")}
	s.Must(s.SharedTemplates.PutContent(s.Context(), other.ID, kept))
	for _, content := range []core.SharedContent{{Archive: []byte("PK\x00\xff'"), Picture: []byte("\x89PNG\x00")}, {Archive: []byte("PK2")}} {
		s.Must(s.SharedTemplates.PutContent(s.Context(), template.ID, content))
		got, err := s.SharedTemplates.Content(s.Context(), template.ID)
		s.Want(got, err, content)
	}
	s.Must(s.SharedTemplates.Delete(s.Context(), template.ID))
	_, err := s.SharedTemplates.Content(s.Context(), template.ID)
	s.WantCode(err, core.CodeNotFound)
	got, err := s.SharedTemplates.Content(s.Context(), other.ID)
	s.Want(got, err, kept)
}

func sharedTemplatesOfWorkspace(s testCase) {
	workspace := s.Workspace()
	project := s.Project(workspace.ID)
	doomed := s.sharedTemplate(workspace.ID, func(t *core.SharedTemplate) { t.ProjectID = &project.ID })
	s.Must(s.SharedTemplates.PutContent(s.Context(), doomed.ID, core.SharedContent{Archive: []byte("zip")}))
	kept := s.sharedTemplate(s.Workspace().ID)
	s.Must(s.Workspaces.Delete(s.Context(), doomed.WorkspaceID))
	_, err := s.SharedTemplates.ByID(s.Context(), doomed.ID)
	s.WantCode(err, core.CodeNotFound)
	_, err = s.SharedTemplates.Content(s.Context(), doomed.ID)
	s.WantCode(err, core.CodeNotFound)
	got, err := s.SharedTemplates.ByID(s.Context(), kept.ID)
	s.Want(got, err, kept)
}

func sharedTemplatesOfProject(s testCase) {
	workspace := s.Workspace()
	gone, stays := s.Project(workspace.ID), s.Project(workspace.ID)
	orphan := s.sharedTemplate(workspace.ID, func(t *core.SharedTemplate) { t.ProjectID = &gone.ID })
	content := core.SharedContent{Archive: []byte("zip")}
	s.Must(s.SharedTemplates.PutContent(s.Context(), orphan.ID, content))
	other := s.sharedTemplate(workspace.ID, func(t *core.SharedTemplate) { t.ProjectID = &stays.ID })
	s.Must(s.Projects.Delete(s.Context(), gone.ID))
	orphan.ProjectID = nil
	got, err := s.SharedTemplates.ByID(s.Context(), orphan.ID)
	s.Want(got, err, orphan)
	held, err := s.SharedTemplates.Content(s.Context(), orphan.ID)
	s.Want(held, err, content)
	got, err = s.SharedTemplates.ByID(s.Context(), other.ID)
	s.Want(got, err, other)
}

func sharedTemplateCopies(s testCase) {
	workspace := s.Workspace()
	project := s.Project(workspace.ID)
	source := project.ID
	template := s.sharedTemplate(workspace.ID, func(t *core.SharedTemplate) { t.ProjectID = &source })
	archive, picture := []byte("zip"), []byte("png")
	s.Must(s.SharedTemplates.PutContent(s.Context(), template.ID, core.SharedContent{Archive: archive, Picture: picture}))
	source, archive[0], picture[0] = "changed", 'x', 'x'
	for range 2 {
		got, err := s.SharedTemplates.ByID(s.Context(), template.ID)
		s.Want(*got.ProjectID, err, project.ID)
		*got.ProjectID = "changed"
		held, err := s.SharedTemplates.Content(s.Context(), template.ID)
		s.Want(string(held.Archive)+string(held.Picture), err, "zippng")
		held.Archive[0], held.Picture[0] = 'x', 'x'
	}
}

func sharedTemplatesEnded(s testCase) {
	template := s.sharedTemplate(s.Workspace().ID)
	ended := s.Ended()
	s.WantCode(s.SharedTemplates.Create(ended, s.newSharedTemplate(template.WorkspaceID)), core.CodeUnavailable)
	_, err := s.SharedTemplates.ByID(ended, template.ID)
	s.WantCode(err, core.CodeUnavailable)
	_, err = s.SharedTemplates.List(ended, template.WorkspaceID)
	s.WantCode(err, core.CodeUnavailable)
	_, err = s.SharedTemplates.Update(ended, template.ID, func(*core.SharedTemplate) error { return nil })
	s.WantCode(err, core.CodeUnavailable)
	s.WantCode(s.SharedTemplates.Delete(ended, template.ID), core.CodeUnavailable)
	s.WantCode(s.SharedTemplates.PutContent(ended, template.ID, core.SharedContent{Archive: []byte("zip")}), core.CodeUnavailable)
	_, err = s.SharedTemplates.Content(ended, template.ID)
	s.WantCode(err, core.CodeUnavailable)
}
