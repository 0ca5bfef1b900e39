package projects

import (
	"slices"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func projectClauses() []clause {
	return []clause{
		{"a project comes back as it was stored", projectComesBack},
		{"a project that is not there is not found", projectNotFound},
		{"a slug in use in the workspace is a conflict", slugInUse},
		{"of parallel creates with one slug one succeeds", slugInUseInParallel},
		{"parallel creates that go on to the next slug all succeed", slugsInParallel},
		{"a published slug in use is taken", publishedSlugTaken},
		{"a project belongs to a workspace, and to a folder if to any", projectOfNothing},
		{"an update of a project works as a user's", projectUpdate},
		{"a workspace's projects are counted, soft-deleted ones too", projectsCounted},
		{"slugs like a slug are it and those that go on with a hyphen", slugsLike},
		{"a project is seen with the role in its workspace", projectSeenBy},
		{"deleting a project removes all that belongs to it", projectDelete},
	}
}

func projectComesBack(s testCase) {
	folder := s.NewFolder(s.Workspace().ID)
	s.Must(s.Folders.Create(s.Context(), folder))
	full := core.Project{
		ID: core.NewID(), WorkspaceID: folder.WorkspaceID, FolderID: &folder.ID, Slug: "shop", Name: "Shop's \"best\" %_\\",
		Description: new("line\nline 東京"), Template: new("blank"), Visibility: core.VisibilityPrivate,
		ThumbnailURL: new("/thumb"), PublishedAt: new(s.Now()), CustomDomain: new("shop.example.com"),
		CreatedAt: s.Now(), UpdatedAt: s.Now(), DeletedAt: new(s.Now()), CreatedBy: core.NewID(),
		PublishedSlug: new("live"), DeploymentID: new(core.NewID()), PreviewVersion: 7, Purging: true,
	}
	for _, project := range []core.Project{full, s.NewProject(folder.WorkspaceID)} {
		s.Must(s.Projects.Create(s.Context(), project))
		got, err := s.Projects.ByID(s.Context(), project.ID)
		s.Want(got, err, project)
	}
	got, err := s.Projects.ByPublishedSlug(s.Context(), "live")
	s.Want(got, err, full)
	again := s.NewProject(folder.WorkspaceID)
	again.ID = full.ID
	s.WantCode(s.Projects.Create(s.Context(), again), core.CodeConflict)
	full = s.NewProject(folder.WorkspaceID)
	full.Description = new(fixture.Unstorable()[0])
	s.WantCode(s.Projects.Create(s.Context(), full), core.CodeValidationFailed)
}

func projectNotFound(s testCase) {
	s.Project(s.Workspace().ID)
	for _, text := range append(fixture.Unstorable(), string(core.NewID())) {
		id := core.ID(text)
		_, err := s.Projects.ByID(s.Context(), id)
		s.WantCode(err, core.CodeNotFound)
		_, err = s.Projects.ByPublishedSlug(s.Context(), text)
		s.WantCode(err, core.CodeNotFound)
		_, standing, err := s.Projects.SeenBy(s.Context(), id, s.User().ID)
		s.Want(standing, nil, core.Standing{})
		s.WantCode(err, core.CodeNotFound)
		_, err = s.Projects.Update(s.Context(), id, func(*core.Project) error { return nil })
		s.WantCode(err, core.CodeNotFound)
		s.WantCode(s.Projects.Delete(s.Context(), id), core.CodeNotFound)
	}
}

func projectSeenBy(s testCase) {
	home, foreign := s.Workspace(), s.Workspace()
	deleted := s.Now()
	project := s.Project(home.ID, func(p *core.Project) { p.DeletedAt = &deleted })
	member, other := s.Member(home.ID, core.RoleAdmin), s.Member(foreign.ID, core.RoleOwner)
	for user, want := range map[core.ID]core.Role{
		member.ID: core.RoleAdmin, other.ID: core.RoleNone, core.NewID(): core.RoleNone, core.ID(fixture.Unstorable()[0]): core.RoleNone,
	} {
		got, standing, err := s.Projects.SeenBy(s.Context(), project.ID, user)
		s.Want(got, err, project)
		s.Want(standing, nil, core.Standing{Role: want})
	}
}

func slugInUse(s testCase) {
	first := s.Project(s.Workspace().ID, func(p *core.Project) { p.Slug, p.DeletedAt = "shop", new(p.CreatedAt) })
	again := s.NewProject(first.WorkspaceID)
	again.Slug = "shop"
	s.WantCode(s.Projects.Create(s.Context(), again), core.CodeConflict)
	second := s.Project(first.WorkspaceID)
	_, err := s.Projects.Update(s.Context(), second.ID, func(p *core.Project) error {
		p.Slug = "shop"
		return nil
	})
	s.WantCode(err, core.CodeConflict)
	got, err := s.Projects.ByID(s.Context(), second.ID)
	s.Want(got, err, second)
	s.Project(s.Workspace().ID, func(p *core.Project) { p.Slug = "shop" })
}

func slugInUseInParallel(s testCase) {
	workspace := s.Workspace()
	var lock sync.Mutex
	created := 0
	projects := make([]core.Project, 16)
	for i := range projects {
		projects[i] = s.NewProject(workspace.ID)
		projects[i].Slug = "shop"
	}
	fixture.Together(len(projects), func(i int) {
		err := s.Projects.Create(s.Context(), projects[i])
		lock.Lock()
		defer lock.Unlock()
		if err == nil {
			created++
			return
		}
		s.WantCode(err, core.CodeConflict)
	})
	s.Want(created, nil, 1)
}

func slugsInParallel(s testCase) {
	workspace := s.Workspace()
	projects := make([]core.Project, 16)
	want := make([]string, len(projects))
	for i := range projects {
		projects[i] = s.NewProject(workspace.ID)
		want[i] = core.NumberedSlug("shop", i+1)
	}
	fixture.Together(len(projects), func(i int) {
		err := error(core.Errorf(core.CodeConflict, "not yet tried"))
		for n := 1; n <= len(projects) && core.IsCode(err, core.CodeConflict); n++ {
			projects[i].Slug = core.NumberedSlug("shop", n)
			err = s.Projects.Create(s.Context(), projects[i])
		}
		if err != nil {
			s.Errorf("got %v, want nil", err)
		}
	})
	got, err := s.Projects.SlugsLike(s.Context(), workspace.ID, "shop")
	slices.Sort(got)
	slices.Sort(want)
	s.Want(got, err, want)
}

func publishedSlugTaken(s testCase) {
	first := s.Project(s.Workspace().ID, func(p *core.Project) { p.PublishedSlug, p.DeletedAt = new("live"), new(p.CreatedAt) })
	again := s.NewProject(s.Workspace().ID)
	again.PublishedSlug = new("live")
	s.WantCode(s.Projects.Create(s.Context(), again), core.CodeSlugTaken)
	var lock sync.Mutex
	published := 0
	unpublished := make([]core.Project, 8)
	for i := range unpublished {
		unpublished[i] = s.Project(first.WorkspaceID)
	}
	fixture.Together(len(unpublished), func(i int) {
		_, err := s.Projects.Update(s.Context(), unpublished[i].ID, func(p *core.Project) error {
			p.PublishedSlug = new("next")
			return nil
		})
		lock.Lock()
		defer lock.Unlock()
		if err == nil {
			published++
			return
		}
		s.WantCode(err, core.CodeSlugTaken)
	})
	s.Want(published, nil, 1)
	got, err := s.Projects.ByPublishedSlug(s.Context(), "live")
	s.Want(got, err, first)
}

func projectOfNothing(s testCase) {
	s.WantCode(s.Projects.Create(s.Context(), s.NewProject(core.NewID())), core.CodeNotFound)
	project := s.NewProject(s.Workspace().ID)
	project.FolderID = new(core.NewID())
	s.WantCode(s.Projects.Create(s.Context(), project), core.CodeNotFound)
	_, err := s.Projects.ByID(s.Context(), project.ID)
	s.WantCode(err, core.CodeNotFound)
}

func projectUpdate(s testCase) {
	project := s.Project(s.Workspace().ID)
	want := project
	want.Name, want.Description, want.Visibility = "New name", new("words"), core.VisibilityPublic
	want.PublishedSlug, want.DeletedAt = new("live"), new(s.Now())
	got, err := s.Projects.Update(s.Context(), project.ID, func(stored *core.Project) error {
		s.Want(*stored, nil, project)
		*stored = want
		stored.ID, stored.CreatedAt = core.NewID(), 1
		return nil
	})
	s.Want(got, err, want)
	got, err = s.Projects.ByID(s.Context(), project.ID)
	s.Want(got, err, want)
	moved := s.Workspace()
	got, err = s.Projects.Update(s.Context(), project.ID, func(stored *core.Project) error {
		stored.WorkspaceID, stored.DeletedAt, stored.PublishedSlug = moved.ID, nil, nil
		return nil
	})
	want.WorkspaceID, want.DeletedAt, want.PublishedSlug = moved.ID, nil, nil
	s.Want(got, err, want)
	_, err = s.Projects.ByPublishedSlug(s.Context(), "live")
	s.WantCode(err, core.CodeNotFound)
}

func projectsCounted(s testCase) {
	workspace, other := s.Workspace(), s.Workspace()
	s.Project(workspace.ID, func(*core.Project) {})
	s.Project(workspace.ID, func(p *core.Project) { p.DeletedAt = new(p.CreatedAt) })
	gone := s.Project(workspace.ID, func(*core.Project) {})
	s.Project(other.ID, func(*core.Project) {})
	s.Must(s.Projects.Delete(s.Context(), gone.ID))
	for id, want := range map[core.ID]int{workspace.ID: 2, other.ID: 1, core.NewID(): 0, core.ID(fixture.Unstorable()[0]): 0} {
		got, err := s.Projects.Count(s.Context(), id)
		s.Want(got, err, want)
	}
}

func slugsLike(s testCase) {
	workspace, other := s.Workspace(), s.Workspace()
	for _, slug := range []string{"shop", "shop-2", "shop-old-3", "shops", "sho", "shop.", "a-shop", "%", "%-2", "_hop"} {
		s.Project(workspace.ID, func(p *core.Project) { p.Slug = slug })
		s.Project(other.ID, func(p *core.Project) { p.Slug = slug + "-9" })
	}
	s.Project(workspace.ID, func(p *core.Project) { p.Slug, p.DeletedAt = "shop-4", new(p.CreatedAt) })
	for slug, want := range map[string][]string{
		"shop":                  {"shop", "shop-2", "shop-4", "shop-old-3"},
		"%":                     {"%", "%-2"},
		"_hop":                  {"_hop"},
		"none":                  {},
		fixture.Unstorable()[0]: {},
	} {
		got, err := s.Projects.SlugsLike(s.Context(), workspace.ID, slug)
		slices.Sort(got)
		s.Want(append([]string{}, got...), err, want)
	}
}

func projectDelete(s testCase) {
	doomed, kept := s.Filled(), s.Filled()
	s.Must(s.Projects.Delete(s.Context(), doomed.Project.ID))
	doomed.WantGone(s.Case)
	kept.WantThere(s.Case)
	provider, err := s.Providers.ByID(s.Context(), doomed.Provider.ID)
	s.Want(provider, err, doomed.Provider)
	again := s.NewProject(doomed.Workspace.ID)
	again.Slug = doomed.Project.Slug
	s.Must(s.Projects.Create(s.Context(), again))
	s.wantState(again.ID, 0, false)
	list, err := s.Projects.List(s.Context(), storage.ProjectFilter{Member: doomed.Member.ID}, core.Page{Limit: 9})
	s.Want(fixture.IDsOf(list, func(p core.Project) core.ID { return p.ID }), err, []core.ID{again.ID})
}
