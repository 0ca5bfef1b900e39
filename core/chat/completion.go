package chat

import (
	"context"

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
	version, made, err = c.projects.Commit(ctx, current, core.NameOfChanges(paths, actions))
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
			for _, payload := range payloads {
				if made, is := payload.(core.VersionCreated); is {
					r.VersionID = made.VersionID
				}
			}
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
