package versions

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/ports/storage"
)

// Entry is a version as lists show it.
type Entry struct {
	core.Version
	// Name is people's name for it; it may be empty.
	Name    string `json:"name"`
	Starred bool   `json:"starred"`
	// Wish is what the person wanted of whom the agent made it, its first line, for those who see the
	// project's chats.
	Wish *string `json:"wish"`
	// Live says that the project's site shows it. Callers who do not see the project's deployments
	// are not told.
	Live bool `json:"live"`
}

// MarkChange says what to change of a version's mark; nil leaves it.
type MarkChange struct {
	Name    *string `json:"name,omitempty"`
	Starred *bool   `json:"starred,omitempty"`
}

// Mark names a version, stars it, or takes that back: an empty name removes it. It returns
// core.CodeNotFound if there is no such version, core.CodeValidationFailed for a bad name, and
// core.CodeConflict beyond core.MaxVersionMarks.
func (s *Service) Mark(ctx context.Context, by core.Actor, project core.ID, version string, change MarkChange) (Entry, error) {
	if _, err := s.gate.Project(ctx, by, core.ActionVersionWrite, project); err != nil {
		return Entry{}, err
	}
	shown, err := s.history.Version(ctx, project, version)
	if err != nil {
		return Entry{}, err
	}
	if change.Name != nil && *change.Name != "" {
		name, err := core.CheckName("name", *change.Name, core.MaxVersionName)
		if err != nil {
			return Entry{}, err
		}
		change.Name = &name
	}
	err = s.store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, err := access.ProjectIn(ctx, tables, by, core.ActionVersionWrite, project); err != nil {
			return err
		}
		return change.apply(ctx, tables, core.VersionMark{ProjectID: project, Version: shown.ID, MarkedAt: core.At(s.now())})
	})
	if err != nil {
		return Entry{}, err
	}
	s.announce(ctx, project)
	listed, err := s.Describe(ctx, by, project, []core.Version{shown})
	if err != nil {
		return Entry{}, err
	}
	return listed[0], nil
}

// apply stores the mark of a version with the change. fresh is one that says nothing.
func (m MarkChange) apply(ctx context.Context, tables storage.Tables, fresh core.VersionMark) error {
	marks, err := tables.VersionMarks.List(ctx, fresh.ProjectID)
	if err != nil {
		return err
	}
	known := false
	for _, mark := range marks {
		if mark.Version == fresh.Version {
			known, fresh.Name, fresh.Starred = true, mark.Name, mark.Starred
		}
	}
	if m.Name != nil {
		fresh.Name = *m.Name
	}
	if m.Starred != nil {
		fresh.Starred = *m.Starred
	}
	if !known && len(marks) >= core.MaxVersionMarks && !fresh.IsEmpty() {
		return core.Errorf(core.CodeConflict, "the project has %d versions with a name or a star: remove one first", core.MaxVersionMarks)
	}
	return tables.VersionMarks.Put(ctx, fresh)
}

// Describe returns versions of a project with what people say about them, for by, who may read
// them. Only who sees the project's chats is told in which a version was made. Every list of versions
// that leaves the service goes through it.
func (s *Service) Describe(ctx context.Context, by core.Actor, project core.ID, versions []core.Version) ([]Entry, error) {
	tables := s.store.Tables()
	marks, err := tables.VersionMarks.List(ctx, project)
	if err != nil {
		return nil, err
	}
	byVersion := make(map[string]core.VersionMark, len(marks))
	for _, mark := range marks {
		byVersion[mark.Version] = mark
	}
	record, standing, err := tables.Projects.SeenBy(ctx, project, by.UserID)
	if err != nil {
		return nil, err
	}
	sees := func(by core.Actor, action core.Action) bool {
		return core.RuleOf(action).AuthorizeProject(by, standing, record.Access()) == nil
	}
	live := ""
	if record.DeploymentID != nil && sees(by, core.ActionPublishRead) {
		if live, err = liveVersion(ctx, tables, *record.DeploymentID); err != nil {
			return nil, err
		}
	}
	var chats []core.Chat
	wishes := map[string]string{}
	// A token's scope says what its owner lets it do, and not whose chats these are.
	if sees(core.Actor{UserID: by.UserID}, core.ActionChat) {
		if chats, err = tables.Chats.List(ctx, project); err != nil {
			return nil, err
		}
		if wishes, err = wishesOf(ctx, tables, project, versions); err != nil {
			return nil, err
		}
	}
	listed := make([]Entry, len(versions))
	for i, version := range versions {
		mark := byVersion[version.ID]
		version.Recognise(chats)
		listed[i] = Entry{Version: version, Name: mark.Name, Starred: mark.Starred, Live: version.ID == live && live != ""}
		if wish := wishes[version.ID]; wish != "" {
			listed[i].Wish = &wish
		}
	}
	return listed, nil
}

// wishesOf returns the first lines of the messages whose runs made the versions.
func wishesOf(ctx context.Context, tables storage.Tables, project core.ID, versions []core.Version) (map[string]string, error) {
	var ids []string
	for _, version := range versions {
		if version.Author.Kind == core.AuthorAgent {
			ids = append(ids, version.ID)
		}
	}
	runs, err := tables.Runs.Made(ctx, project, ids)
	wishes := make(map[string]string, len(runs))
	for _, run := range runs {
		wishes[run.VersionID] = run.Wish()
	}
	return wishes, err
}

// liveVersion returns the version that a deployment shows, "" if it is gone.
func liveVersion(ctx context.Context, tables storage.Tables, id core.ID) (string, error) {
	deployment, err := tables.Deployments.ByID(ctx, id)
	if core.IsCode(err, core.CodeNotFound) {
		return "", nil
	}
	return deployment.VersionID, err
}

// Marked returns the versions with a name or a star, the one that was marked last first. Readers of a
// public project may call it.
func (s *Service) Marked(ctx context.Context, by core.Actor, project core.ID) ([]Entry, error) {
	if _, err := s.gate.Project(ctx, by, core.ActionVersionRead, project); err != nil {
		return nil, err
	}
	marks, err := s.store.Tables().VersionMarks.List(ctx, project)
	if err != nil {
		return nil, err
	}
	var found []core.Version
	for _, mark := range marks {
		version, err := s.history.Version(ctx, project, mark.Version)
		if core.IsCode(err, core.CodeNotFound) {
			continue // a restored backup may lack it
		}
		if err != nil {
			return nil, err
		}
		found = append(found, version)
	}
	return s.Describe(ctx, by, project, found)
}
