package porttest

import (
	"slices"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

func storageProjectClauses() []storageClause {
	return []storageClause{
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

func projectComesBack(s *storageCase) {
	folder := s.newFolder(s.workspace().ID)
	s.must(s.Folders.Create(s.Context(), folder))
	full := core.Project{
		ID: core.NewID(), WorkspaceID: folder.WorkspaceID, FolderID: &folder.ID, Slug: "shop", Name: "Shop's \"best\" %_\\",
		Description: new("line\nline 東京"), Template: new("blank"), Visibility: core.VisibilityPrivate,
		ThumbnailURL: new("/thumb"), PublishedAt: new(s.now()), CustomDomain: new("shop.example.com"),
		CreatedAt: s.now(), UpdatedAt: s.now(), DeletedAt: new(s.now()), CreatedBy: core.NewID(),
		PublishedSlug: new("live"), DeploymentID: new(core.NewID()), PreviewVersion: 7, Purging: true,
	}
	for _, project := range []core.Project{full, s.newProject(folder.WorkspaceID)} {
		s.must(s.Projects.Create(s.Context(), project))
		got, err := s.Projects.ByID(s.Context(), project.ID)
		s.want(got, err, project)
	}
	got, err := s.Projects.ByPublishedSlug(s.Context(), "live")
	s.want(got, err, full)
	again := s.newProject(folder.WorkspaceID)
	again.ID = full.ID
	s.wantCode(s.Projects.Create(s.Context(), again), core.CodeConflict)
	full = s.newProject(folder.WorkspaceID)
	full.Description = new(unstorable[0])
	s.wantCode(s.Projects.Create(s.Context(), full), core.CodeValidationFailed)
}

func projectNotFound(s *storageCase) {
	s.project(s.workspace().ID)
	for _, text := range append(unstorable, string(core.NewID())) {
		id := core.ID(text)
		_, err := s.Projects.ByID(s.Context(), id)
		s.wantCode(err, core.CodeNotFound)
		_, err = s.Projects.ByPublishedSlug(s.Context(), text)
		s.wantCode(err, core.CodeNotFound)
		_, role, err := s.Projects.SeenBy(s.Context(), id, s.user().ID)
		s.want(role, nil, core.RoleNone)
		s.wantCode(err, core.CodeNotFound)
		_, err = s.Projects.Update(s.Context(), id, func(*core.Project) error { return nil })
		s.wantCode(err, core.CodeNotFound)
		s.wantCode(s.Projects.Delete(s.Context(), id), core.CodeNotFound)
	}
}

func projectSeenBy(s *storageCase) {
	home, foreign := s.workspace(), s.workspace()
	deleted := s.now()
	project := s.project(home.ID, func(p *core.Project) { p.DeletedAt = &deleted })
	member, other := s.member(home.ID, core.RoleAdmin), s.member(foreign.ID, core.RoleOwner)
	for user, want := range map[core.ID]core.Role{
		member.ID: core.RoleAdmin, other.ID: core.RoleNone, core.NewID(): core.RoleNone, core.ID(unstorable[0]): core.RoleNone,
	} {
		got, role, err := s.Projects.SeenBy(s.Context(), project.ID, user)
		s.want(got, err, project)
		s.want(role, nil, want)
	}
}

func slugInUse(s *storageCase) {
	first := s.project(s.workspace().ID, func(p *core.Project) { p.Slug, p.DeletedAt = "shop", new(p.CreatedAt) })
	again := s.newProject(first.WorkspaceID)
	again.Slug = "shop"
	s.wantCode(s.Projects.Create(s.Context(), again), core.CodeConflict)
	second := s.project(first.WorkspaceID)
	_, err := s.Projects.Update(s.Context(), second.ID, func(p *core.Project) error {
		p.Slug = "shop"
		return nil
	})
	s.wantCode(err, core.CodeConflict)
	got, err := s.Projects.ByID(s.Context(), second.ID)
	s.want(got, err, second)
	s.project(s.workspace().ID, func(p *core.Project) { p.Slug = "shop" })
}

func slugInUseInParallel(s *storageCase) {
	workspace := s.workspace()
	var lock sync.Mutex
	created := 0
	projects := make([]core.Project, 16)
	for i := range projects {
		projects[i] = s.newProject(workspace.ID)
		projects[i].Slug = "shop"
	}
	together(len(projects), func(i int) {
		err := s.Projects.Create(s.Context(), projects[i])
		lock.Lock()
		defer lock.Unlock()
		if err == nil {
			created++
			return
		}
		s.wantCode(err, core.CodeConflict)
	})
	s.want(created, nil, 1)
}

func slugsInParallel(s *storageCase) {
	workspace := s.workspace()
	projects := make([]core.Project, 16)
	want := make([]string, len(projects))
	for i := range projects {
		projects[i] = s.newProject(workspace.ID)
		want[i] = core.NumberedSlug("shop", i+1)
	}
	together(len(projects), func(i int) {
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
	s.want(got, err, want)
}

func publishedSlugTaken(s *storageCase) {
	first := s.project(s.workspace().ID, func(p *core.Project) { p.PublishedSlug, p.DeletedAt = new("live"), new(p.CreatedAt) })
	again := s.newProject(s.workspace().ID)
	again.PublishedSlug = new("live")
	s.wantCode(s.Projects.Create(s.Context(), again), core.CodeSlugTaken)
	var lock sync.Mutex
	published := 0
	unpublished := make([]core.Project, 8)
	for i := range unpublished {
		unpublished[i] = s.project(first.WorkspaceID)
	}
	together(len(unpublished), func(i int) {
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
		s.wantCode(err, core.CodeSlugTaken)
	})
	s.want(published, nil, 1)
	got, err := s.Projects.ByPublishedSlug(s.Context(), "live")
	s.want(got, err, first)
}

func projectOfNothing(s *storageCase) {
	s.wantCode(s.Projects.Create(s.Context(), s.newProject(core.NewID())), core.CodeNotFound)
	project := s.newProject(s.workspace().ID)
	project.FolderID = new(core.NewID())
	s.wantCode(s.Projects.Create(s.Context(), project), core.CodeNotFound)
	_, err := s.Projects.ByID(s.Context(), project.ID)
	s.wantCode(err, core.CodeNotFound)
}

func projectUpdate(s *storageCase) {
	project := s.project(s.workspace().ID)
	want := project
	want.Name, want.Description, want.Visibility = "New name", new("words"), core.VisibilityPublic
	want.PublishedSlug, want.DeletedAt = new("live"), new(s.now())
	got, err := s.Projects.Update(s.Context(), project.ID, func(stored *core.Project) error {
		s.want(*stored, nil, project)
		*stored = want
		stored.ID, stored.CreatedAt = core.NewID(), 1
		return nil
	})
	s.want(got, err, want)
	got, err = s.Projects.ByID(s.Context(), project.ID)
	s.want(got, err, want)
	moved := s.workspace()
	got, err = s.Projects.Update(s.Context(), project.ID, func(stored *core.Project) error {
		stored.WorkspaceID, stored.DeletedAt, stored.PublishedSlug = moved.ID, nil, nil
		return nil
	})
	want.WorkspaceID, want.DeletedAt, want.PublishedSlug = moved.ID, nil, nil
	s.want(got, err, want)
	_, err = s.Projects.ByPublishedSlug(s.Context(), "live")
	s.wantCode(err, core.CodeNotFound)
}

func projectsCounted(s *storageCase) {
	workspace, other := s.workspace(), s.workspace()
	s.project(workspace.ID, func(*core.Project) {})
	s.project(workspace.ID, func(p *core.Project) { p.DeletedAt = new(p.CreatedAt) })
	gone := s.project(workspace.ID, func(*core.Project) {})
	s.project(other.ID, func(*core.Project) {})
	s.must(s.Projects.Delete(s.Context(), gone.ID))
	for id, want := range map[core.ID]int{workspace.ID: 2, other.ID: 1, core.NewID(): 0, core.ID(unstorable[0]): 0} {
		got, err := s.Projects.Count(s.Context(), id)
		s.want(got, err, want)
	}
}

func slugsLike(s *storageCase) {
	workspace, other := s.workspace(), s.workspace()
	for _, slug := range []string{"shop", "shop-2", "shop-old-3", "shops", "sho", "shop.", "a-shop", "%", "%-2", "_hop"} {
		s.project(workspace.ID, func(p *core.Project) { p.Slug = slug })
		s.project(other.ID, func(p *core.Project) { p.Slug = slug + "-9" })
	}
	s.project(workspace.ID, func(p *core.Project) { p.Slug, p.DeletedAt = "shop-4", new(p.CreatedAt) })
	for slug, want := range map[string][]string{
		"shop":        {"shop", "shop-2", "shop-4", "shop-old-3"},
		"%":           {"%", "%-2"},
		"_hop":        {"_hop"},
		"none":        {},
		unstorable[0]: {},
	} {
		got, err := s.Projects.SlugsLike(s.Context(), workspace.ID, slug)
		slices.Sort(got)
		s.want(append([]string{}, got...), err, want)
	}
}

func projectDelete(s *storageCase) {
	doomed, kept := s.filled(), s.filled()
	s.must(s.Projects.Delete(s.Context(), doomed.project.ID))
	s.wantGone(doomed)
	s.wantThere(kept)
	provider, err := s.Providers.ByID(s.Context(), doomed.provider.ID)
	s.want(provider, err, doomed.provider)
	again := s.newProject(doomed.workspace.ID)
	again.Slug = doomed.project.Slug
	s.must(s.Projects.Create(s.Context(), again))
	s.wantState(again.ID, 0, false)
	list, err := s.Projects.List(s.Context(), storage.ProjectFilter{Member: doomed.member.ID}, core.Page{Limit: 9})
	s.want(idsOf(list, func(p core.Project) core.ID { return p.ID }), err, []core.ID{again.ID})
}
