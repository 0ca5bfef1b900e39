package projects

import (
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func siteClauses() []clause {
	return []clause{
		{"settings of a site are those that were put last", siteSettingsPut},
		{"a project without settings of its site has those of a new one", siteSettingsNew},
		{"settings of a site need a project and text", siteSettingsRefused},
		{"takedowns come back, one a project, the latest first, and go", takedownsKept},
		{"counts of a site's visits add up, each name's and day's own", siteCountsAdded},
		{"counts of days long past are removed", siteCountsPruned},
		{"settings and counts of a site go with their project", sitesOfProject},
		{"counts of a site need a project and text, and are added together or not at all", siteCountsRefused},
		{"no call on sites outlives its context", sitesEnded},
	}
}

func newSiteSettings(s testCase, project core.ID) core.SiteSettings {
	return core.SiteSettings{
		Title: "Linden Bakery", Description: "Bread 'that' takes its time", Image: "/bread.png", Favicon: "https://example.com/f.svg",
		Language: "de", Robots: core.RobotsNoIndex, Access: core.SitePassword, NotFound: "/404.html", UpdatedAt: s.Now(),
		ProjectID: project, PasswordHash: "$hash$", Revision: 7,
	}
}

func siteSettingsPut(s testCase) {
	project, other := s.Project(s.Workspace().ID), s.Project(s.Workspace().ID)
	first, foreign := newSiteSettings(s, project.ID), newSiteSettings(s, other.ID)
	foreign.Title = "Another"
	second := core.NewSiteSettings(project.ID)
	second.UpdatedAt, second.Revision = first.UpdatedAt+1, 8
	s.Must(s.SiteSettings.Put(s.Context(), foreign))
	for _, settings := range []core.SiteSettings{first, second} {
		s.Must(s.SiteSettings.Put(s.Context(), settings))
		got, err := s.SiteSettings.Of(s.Context(), project.ID)
		s.Want(got, err, settings)
	}
	got, err := s.SiteSettings.Of(s.Context(), other.ID)
	s.Want(got, err, foreign)
}

func takedownsKept(s testCase) {
	space := s.Workspace().ID
	first := core.Takedown{ProjectID: s.Project(space).ID, Slug: "a", Reason: "O'Hara 東京", TakenBy: core.NewID(), CreatedAt: 5}
	second := core.Takedown{ProjectID: s.Project(space).ID, Slug: "b", Reason: "spam", TakenBy: first.TakenBy, CreatedAt: 6}
	for _, takedown := range []core.Takedown{first, second} {
		s.Must(s.Takedowns.Create(s.Context(), takedown))
		s.WantCode(s.Takedowns.Create(s.Context(), takedown), core.CodeConflict)
	}
	got, err := s.Takedowns.Of(s.Context(), first.ProjectID)
	s.Want(got, err, first)
	listed, err := s.Takedowns.List(s.Context())
	s.Want(listed, err, []core.Takedown{second, first})
	s.WantCode(s.Takedowns.Create(s.Context(), core.Takedown{ProjectID: core.NewID()}), core.CodeNotFound)
	for _, text := range fixture.Unstorable() {
		s.WantCode(s.Takedowns.Create(s.Context(), core.Takedown{ProjectID: s.Project(space).ID, Reason: text}), core.CodeValidationFailed)
	}
	s.Must(s.Takedowns.Delete(s.Context(), first.ProjectID))
	s.WantCode(s.Takedowns.Delete(s.Context(), first.ProjectID), core.CodeNotFound)
	s.Must(s.Projects.Delete(s.Context(), second.ProjectID))
	listed, err = s.Takedowns.List(s.Context())
	s.Want(len(listed), err, 0)
}

func siteSettingsNew(s testCase) {
	for _, project := range []core.ID{s.Project(s.Workspace().ID).ID, core.NewID()} {
		got, err := s.SiteSettings.Of(s.Context(), project)
		s.Want(got, err, core.NewSiteSettings(project))
	}
}

func siteSettingsRefused(s testCase) {
	s.WantCode(s.SiteSettings.Put(s.Context(), newSiteSettings(s, core.NewID())), core.CodeNotFound)
	project := s.Project(s.Workspace().ID)
	for _, text := range fixture.Unstorable() {
		settings := newSiteSettings(s, project.ID)
		settings.Description = text
		s.WantCode(s.SiteSettings.Put(s.Context(), settings), core.CodeValidationFailed)
	}
}

func siteCountsAdded(s testCase) {
	project, other := s.Project(s.Workspace().ID).ID, s.Project(s.Workspace().ID).ID
	count := func(project core.ID, day int64, kind core.SiteCountKind, name string, n int64) core.SiteCount {
		return core.SiteCount{ProjectID: project, Day: day, Kind: kind, Name: name, Count: n}
	}
	s.Must(s.SiteCounts.Add(s.Context(), nil))
	for _, added := range [][]core.SiteCount{
		{count(project, 20_000, core.CountVisits, "", 2), count(project, 20_000, core.CountPages, "/ä?", 3), count(other, 20_000, core.CountPages, "/ä?", 50)},
		{count(project, 20_000, core.CountPages, "/ä?", 4), count(project, 20_000, core.CountPages, "/", 1)},
		{count(project, 19_999, core.CountPages, "/", 5), count(project, 20_001, core.CountReferrers, "/", 1<<40)},
	} {
		s.Must(s.SiteCounts.Add(s.Context(), added))
	}
	want := []core.SiteCount{
		count(project, 20_000, core.CountPages, "/", 1), count(project, 20_000, core.CountPages, "/ä?", 7),
		count(project, 20_000, core.CountVisits, "", 2), count(project, 20_001, core.CountReferrers, "/", 1<<40),
	}
	got, err := s.SiteCounts.List(s.Context(), project, 20_000)
	s.Want(got, err, want)
	got, err = s.SiteCounts.List(s.Context(), other, 0)
	s.Want(got, err, []core.SiteCount{count(other, 20_000, core.CountPages, "/ä?", 50)})
	got, err = s.SiteCounts.List(s.Context(), core.NewID(), 0)
	s.Want(len(got), err, 0)
}

func siteCountsPruned(s testCase) {
	project := s.Project(s.Workspace().ID).ID
	var counts []core.SiteCount
	for day := range int64(4) {
		counts = append(counts, core.SiteCount{ProjectID: project, Day: day, Kind: core.CountVisits, Count: 1})
	}
	s.Must(s.SiteCounts.Add(s.Context(), counts))
	s.Must(s.SiteCounts.Prune(s.Context(), 2))
	got, err := s.SiteCounts.List(s.Context(), project, 0)
	s.Want(got, err, counts[2:])
}

func sitesOfProject(s testCase) {
	project := s.Project(s.Workspace().ID).ID
	s.Must(s.SiteSettings.Put(s.Context(), newSiteSettings(s, project)))
	s.Must(s.SiteCounts.Add(s.Context(), []core.SiteCount{{ProjectID: project, Day: 1, Kind: core.CountVisits, Count: 1}}))
	s.Must(s.Projects.Delete(s.Context(), project))
	settings, err := s.SiteSettings.Of(s.Context(), project)
	s.Want(settings, err, core.NewSiteSettings(project))
	counts, err := s.SiteCounts.List(s.Context(), project, 0)
	s.Want(len(counts), err, 0)
}

func siteCountsRefused(s testCase) {
	project := s.Project(s.Workspace().ID).ID
	good := core.SiteCount{ProjectID: project, Day: 1, Kind: core.CountVisits, Count: 1}
	s.WantCode(s.SiteCounts.Add(s.Context(), []core.SiteCount{good, {ProjectID: core.NewID(), Day: 1, Kind: core.CountVisits, Count: 1}}), core.CodeNotFound)
	for _, text := range fixture.Unstorable() {
		s.WantCode(s.SiteCounts.Add(s.Context(), []core.SiteCount{good, {ProjectID: project, Day: 1, Kind: core.CountPages, Name: text, Count: 1}}), core.CodeValidationFailed)
	}
	counts, err := s.SiteCounts.List(s.Context(), project, 0)
	s.Want(len(counts), err, 0)
}

func sitesEnded(s testCase) {
	project := s.Project(s.Workspace().ID).ID
	_, err := s.SiteSettings.Of(s.Ended(), project)
	s.WantCode(err, core.CodeUnavailable)
	s.WantCode(s.SiteSettings.Put(s.Ended(), newSiteSettings(s, project)), core.CodeUnavailable)
	s.WantCode(s.SiteCounts.Add(s.Ended(), []core.SiteCount{{ProjectID: project, Kind: core.CountVisits, Count: 1}}), core.CodeUnavailable)
	_, err = s.SiteCounts.List(s.Ended(), project, 0)
	s.WantCode(err, core.CodeUnavailable)
	s.WantCode(s.SiteCounts.Prune(s.Ended(), 1), core.CodeUnavailable)
}
