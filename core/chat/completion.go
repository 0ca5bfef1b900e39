package chat

import (
	"context"
	"fmt"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/thumbnails"
	"github.com/atelierhq/atelier/core/webhooks"
	"github.com/atelierhq/atelier/ports/storage"
)

// completion ends runs: it makes the version of what a run changed, and stores the run's
// last events.
type completion struct {
	*process
	projects Projects
	picture  thumbnails.Refresher
	hooks    *webhooks.Queue
}

// finish commits what the run changed and ends it. It returns core.CodeConflict if
// another process has already ended it.
func (c *completion) finish(ctx context.Context, run core.Run, last core.Payload) error {
	version, files, made, err := c.commit(ctx, run)
	if err != nil {
		c.limitedLog.Warn(ctx, "could not commit a run", "run", run.ID, "error", err)
	}
	if complete, is := last.(core.TaskComplete); is && err == nil {
		complete.Changed = &files
		last = complete
	}
	payloads := []core.Payload{last}
	if made {
		c.picture(run.ProjectID)
		payloads = []core.Payload{core.VersionCreated{VersionID: version.ID, FilesChanged: version.FilesChanged}, last}
	}
	return c.end(ctx, run, payloads)
}

// commit makes the run's version from the paths that its current row lists as
// changed. files is how many these are, also without a version: somebody may have made one meanwhile.
func (c *completion) commit(ctx context.Context, run core.Run) (version core.Version, files int, made bool, err error) {
	current, err := c.store.Tables().Runs.ByID(ctx, run.ID)
	if err != nil {
		return core.Version{}, 0, false, err
	}
	actions, err := c.actionsOf(ctx, current)
	if err != nil {
		return core.Version{}, 0, false, err
	}
	paths := changedPaths(current.Changed, actions)
	version, made, err = c.projects.Commit(ctx, current, versionName(paths, actions))
	return version, len(paths), made, err
}

// end stores a run's last events and makes its chat idle in one transaction, so that
// a client that has read the last event may write again. It returns core.CodeConflict
// if the run's status or owner has changed since it was read (optimistic locking).
func (c *completion) end(ctx context.Context, run core.Run, payloads []core.Payload) error {
	var events []core.Event
	err := c.store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		now := core.At(c.now())
		_, err := tables.Runs.Update(ctx, run.ID, func(r *core.Run) error {
			if r.Status != run.Status || r.Owner != run.Owner {
				return core.Errorf(core.CodeConflict, "the run is %s and belongs to another process", r.Status)
			}
			r.Status, r.EndedAt = core.RunEnded, &now
			return nil
		})
		if err != nil {
			return err
		}
		if events, err = tables.Events.Append(ctx, run.ChatID, now, payloads); err != nil {
			return err
		}
		return c.hooks.Add(ctx, tables, webhooks.RunFinished(run, payloads))
	})
	if err != nil {
		return err
	}
	c.hooks.Wake()
	c.events.announce(ctx, run, events)
	return nil
}

// actionsOf returns what a run did to each file.
func (c *completion) actionsOf(ctx context.Context, run core.Run) (map[string]core.FileAction, error) {
	events, err := c.events.history(ctx, run.ChatID)
	if err != nil {
		return nil, err
	}
	actions := map[string]core.FileAction{}
	for _, event := range events {
		switch payload := event.Payload.(type) {
		case core.UserMessage:
			clear(actions)
		case core.FileChanged:
			// A file that was created and then modified is still new.
			if actions[payload.Path] != core.FileCreated || payload.Action != core.FileModified {
				actions[payload.Path] = payload.Action
			}
		}
	}
	return actions, nil
}

// maxNamedPath is how many characters of a path the name of a version shows, the last
// ones.
const maxNamedPath = 48

// changedPaths returns the paths that a run changed. One without a recorded action, such as the old one of a
// renamed file, counts only if there is no other.
func changedPaths(changed []core.ProjectPath, actions map[string]core.FileAction) []string {
	var paths []string
	for _, path := range changed {
		if _, told := actions[path.String()]; told {
			paths = append(paths, path.String())
		}
	}
	if len(paths) == 0 {
		for _, path := range changed {
			paths = append(paths, path.String())
		}
	}
	return paths
}

// versionName names a version by the paths that it changed and what was done to them. It has no word from
// the chat: everybody sees the versions of a public project, but not its chats.
func versionName(paths []string, actions map[string]core.FileAction) string {
	switch len(paths) {
	case 0:
		return "Change files"
	case 1:
		return verbOf(paths, actions) + " " + shorten(paths[0])
	case 2:
		return verbOf(paths, actions) + " " + shorten(paths[0]) + " and " + shorten(paths[1])
	}
	return fmt.Sprintf("%s %s and %d more", verbOf(paths, actions), shorten(paths[0]), len(paths)-1)
}

// verbOf is the verb for what was done to the paths, if it is the same for all.
func verbOf(paths []string, actions map[string]core.FileAction) string {
	first := actions[paths[0]]
	if slices.ContainsFunc(paths, func(path string) bool { return actions[path] != first }) {
		return "Change"
	}
	switch first {
	case core.FileCreated:
		return "Add"
	case core.FileDeleted:
		return "Delete"
	case core.FileRenamed:
		return "Rename to"
	}
	return "Change"
}

func shorten(path string) string {
	if runes := []rune(path); len(runes) > maxNamedPath {
		return "…" + string(runes[len(runes)-maxNamedPath+1:])
	}
	return path
}
