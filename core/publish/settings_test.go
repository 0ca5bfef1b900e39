package publish_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/publish"
)

func TestSettingsOfASiteChangeAtOnce(t *testing.T) {
	s := newStudio(t)
	s.mustPublish()
	before, err := s.publish.Site(t.Context(), "shop")
	s.must(err)
	if *before.Settings != core.NewSiteSettings(s.project) {
		t.Errorf("got %+v, want new settings", before.Settings)
	}
	view, err := publish.NewSettings(s.publish).Change(t.Context(), s.owner, s.project, publish.SettingsChange{
		Title: new("Shop"), Access: new(core.SitePassword), Password: new("open sesame, please"),
	})
	s.must(err)
	if !view.HasPassword || view.Title != "Shop" || view.UpdatedAt == 0 {
		t.Errorf("got %+v, want the title and a password", view)
	}
	site, err := s.publish.Site(t.Context(), "shop")
	s.must(err)
	if site.Settings.Title != "Shop" || site.Settings.Revision != 1 || site.Settings.Access != core.SitePassword {
		t.Errorf("got %+v, want the new settings on the live site", site.Settings)
	}
	read, err := publish.NewSettings(s.publish).Of(t.Context(), s.owner, s.project)
	s.must(err)
	if read != view {
		t.Errorf("got %+v, want %+v", read, view)
	}
}

func TestAChangeOfSettingsLeavesTheOthers(t *testing.T) {
	s := newStudio(t)
	change := func(change publish.SettingsChange) publish.SettingsView {
		t.Helper()
		view, err := publish.NewSettings(s.publish).Change(t.Context(), s.owner, s.project, change)
		s.must(err)
		return view
	}
	change(publish.SettingsChange{Title: new("Shop"), Language: new("de"), Robots: new(core.RobotsNoIndex), NotFound: new("/404.html"), Password: new("open sesame, please")})
	got := change(publish.SettingsChange{Description: new("Bread"), Image: new("/a.png"), Favicon: new("/f.svg"), Title: new("")})
	want := core.SiteSettings{
		Description: "Bread", Image: "/a.png", Favicon: "/f.svg", Language: "de", Robots: core.RobotsNoIndex, Access: core.SitePublic, NotFound: "/404.html",
		UpdatedAt: got.UpdatedAt, ProjectID: s.project, PasswordHash: got.PasswordHash, Revision: 2,
	}
	if got.SiteSettings != want || got.PasswordHash == "" {
		t.Errorf("got %+v, want %+v", got.SiteSettings, want)
	}
	if again := change(publish.SettingsChange{Description: new("Bread")}); again.Revision != 2 {
		t.Errorf("got revision %d after a change of nothing, want 2", again.Revision)
	}
	if without := change(publish.SettingsChange{Password: new("")}); without.HasPassword {
		t.Error("got a password, want none")
	}
}

func TestSettingsThatASiteCannotHaveAreRefused(t *testing.T) {
	s := newStudio(t)
	for field, change := range map[string]publish.SettingsChange{
		"title":    {Title: new(strings.Repeat("t", 201))},
		"access":   {Access: new(core.SiteAccess("friends"))},
		"password": {Access: new(core.SitePassword)},
		"robots":   {Robots: new(core.SiteRobots("")), Title: new("New")},
	} {
		if _, err := publish.NewSettings(s.publish).Change(t.Context(), s.owner, s.project, change); !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: got %v, want validation_failed that names it", field, err)
		}
	}
	for _, weak := range []string{"short", "password1"} {
		if _, err := publish.NewSettings(s.publish).Change(t.Context(), s.owner, s.project, publish.SettingsChange{Password: new(weak)}); !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("%s: got %v, want validation_failed", weak, err)
		}
	}
	view, err := publish.NewSettings(s.publish).Of(t.Context(), s.owner, s.project)
	s.must(err)
	if view.SiteSettings != core.NewSiteSettings(s.project) {
		t.Errorf("got %+v, want no change", view)
	}
}

func TestOnlyMembersChangeSettings(t *testing.T) {
	s := newStudio(t)
	stranger := s.person("stranger@example.com", core.RoleNone)
	_, read := publish.NewSettings(s.publish).Of(t.Context(), stranger, s.project)
	_, changed := publish.NewSettings(s.publish).Change(t.Context(), stranger, s.project, publish.SettingsChange{Title: new("Mine")})
	for _, err := range []error{read, changed} {
		if !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("got %v, want not_found", err)
		}
	}
}
