package publish

import (
	"context"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/ports/storage"
)

// SettingsView shows members a site's settings.
type SettingsView struct {
	core.SiteSettings
	// HasPassword is true if a password is set, also while the access does not ask for it.
	HasPassword bool `json:"hasPassword"`
}

// SettingsChange changes the settings of a site; nil leaves a field as it is. An empty Password
// removes it.
type SettingsChange struct {
	Title       *string          `json:"title,omitempty"`
	Description *string          `json:"description,omitempty"`
	Image       *string          `json:"image,omitempty"`
	Favicon     *string          `json:"favicon,omitempty"`
	Language    *string          `json:"language,omitempty"`
	Robots      *core.SiteRobots `json:"robots,omitempty"`
	Access      *core.SiteAccess `json:"access,omitempty"`
	Password    *string          `json:"password,omitempty"`
	NotFound    *string          `json:"notFound,omitempty"`
}

// Settings has the use cases around the settings of sites. It may be used by many goroutines.
type Settings struct{ sites *Service }

// NewSettings returns the settings of the sites that a service publishes.
func NewSettings(sites *Service) *Settings { return &Settings{sites} }

// Of returns the settings of a project's site. Errors are those of access.Gate.Project.
func (s *Settings) Of(ctx context.Context, by core.Actor, id core.ID) (SettingsView, error) {
	if _, err := s.sites.deps.Gate.Project(ctx, by, core.ActionPublishRead, id); err != nil {
		return SettingsView{}, err
	}
	settings, err := s.sites.deps.Store.Tables().SiteSettings.Of(ctx, id)
	return viewOf(settings), err
}

func viewOf(settings core.SiteSettings) SettingsView {
	return SettingsView{settings, settings.PasswordHash != ""}
}

// Change changes the settings of a project's site. A live site follows at once, without a
// publish. A new password ends the visits of everybody who came in with the old one. It returns
// core.CodeValidationFailed, naming the field, for settings that a site cannot have; other errors
// are those of access.Gate.Project.
func (s *Settings) Change(ctx context.Context, by core.Actor, id core.ID, change SettingsChange) (SettingsView, error) {
	if _, err := s.sites.deps.Gate.Project(ctx, by, core.ActionPublish, id); err != nil {
		return SettingsView{}, err
	}
	hash, err := s.hashOf(ctx, change.Password)
	if err != nil {
		return SettingsView{}, err
	}
	var settings core.SiteSettings
	err = s.sites.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		project, err := access.ProjectIn(ctx, tables, by, core.ActionPublish, id)
		if err != nil {
			return err
		}
		if settings, err = tables.SiteSettings.Of(ctx, id); err != nil {
			return err
		}
		changed := change.apply(&settings, hash)
		if err := settings.Check(); err != nil || len(changed) == 0 {
			return err
		}
		settings.UpdatedAt = core.At(s.sites.deps.Now())
		settings.Revision++
		if err := tables.SiteSettings.Put(ctx, settings); err != nil {
			return err
		}
		return s.sites.deps.Audit.Record(ctx, tables, by, project.WorkspaceID, core.AuditSiteUpdated, project.Name+": "+strings.Join(changed, ", "))
	})
	if err != nil {
		return SettingsView{}, err
	}
	s.sites.announce(ctx, id)
	return viewOf(settings), nil
}

// hashOf returns the hash of a new password, "" for none.
func (s *Settings) hashOf(ctx context.Context, password *string) (string, error) {
	if password == nil || *password == "" {
		return "", nil
	}
	if err := core.CheckPassword(*password); err != nil {
		return "", err
	}
	return s.sites.deps.Passwords.Hash(ctx, *password)
}

// apply changes the settings, and returns the names of the fields that changed. The access is named
// with its new value.
func (c SettingsChange) apply(settings *core.SiteSettings, hash string) []string {
	var changed []string
	for _, text := range []struct {
		field string
		to    *string
		at    *string
	}{
		{"title", c.Title, &settings.Title}, {"description", c.Description, &settings.Description},
		{"image", c.Image, &settings.Image}, {"favicon", c.Favicon, &settings.Favicon},
		{"language", c.Language, &settings.Language}, {"notFound", c.NotFound, &settings.NotFound},
	} {
		if text.to != nil && *text.to != *text.at {
			*text.at, changed = *text.to, append(changed, text.field)
		}
	}
	if c.Robots != nil && *c.Robots != settings.Robots {
		settings.Robots, changed = *c.Robots, append(changed, "robots")
	}
	if c.Password != nil && (hash != "" || settings.PasswordHash != "") {
		settings.PasswordHash, changed = hash, append(changed, "password")
	}
	if c.Access != nil && *c.Access != settings.Access {
		settings.Access, changed = *c.Access, append(changed, "access: "+string(*c.Access))
	}
	return changed
}
