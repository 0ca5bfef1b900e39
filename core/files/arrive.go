package files

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree"
)

// arrivalTimeout bounds the work under a project's lock when a version arrives, which
// may replace every file.
const arrivalTimeout = 5 * time.Minute

// Take makes versions from elsewhere the project's own. It first commits what people
// have staged as a version of theirs, which rejects a push that is not based on it.
// ready is called under the project's lock and may refuse; its error is returned
// unchanged.
//
// When Take returns nil, repository, disk, cache and followers are in step with the
// newest version. It returns core.CodeConflict, with nothing changed, if the project
// has changed since, or if something that is in no version blocks a file. After
// core.CodeUnavailable the project is either unchanged, or its next touch brings it to
// the new version, as after a crash.
func (p *Pipeline) Take(ctx context.Context, project core.ID, by core.Author, push vcs.Push, ready func(context.Context) error) error {
	arrival, err := push.Arrival()
	if err != nil {
		return err
	}
	held, end, err := p.begin(ctx, project)
	if err != nil {
		return err
	}
	defer end()
	work, cancel := context.WithTimeout(context.WithoutCancel(held), arrivalTimeout)
	defer cancel()
	if err := ready(work); err != nil {
		return err
	}
	if err := p.commitByHand(work, project, nil, nil); err != nil {
		return err
	}
	if err := p.standsAt(work, project, arrival.From); err != nil {
		return err
	}
	if err := push.Adopt(work); err != nil {
		return err
	}
	coming, err := p.coming(work, project, by, arrival)
	if err != nil {
		return err
	}
	if err := coming.checkVacant(work); err != nil {
		return err
	}
	return coming.begin(work)
}

// standsAt returns core.CodeConflict if the project is at another version.
func (p *Pipeline) standsAt(ctx context.Context, project core.ID, version string) error {
	newest, err := p.deps.Repositories.Log(ctx, project, "", 1)
	if err != nil {
		return err
	}
	if len(newest) == 0 && version == "" || len(newest) == 1 && newest[0].ID == version {
		return nil
	}
	return core.Errorf(core.CodeConflict, "fetch first: the project has changed")
}

// goOn completes an arrival that a crash interrupted, for a caller that holds the
// lock. Files that match neither the old nor the new version have been edited since:
// they stay, as edits of the new version.
func (p *Pipeline) goOn(ctx context.Context, project core.ID) error {
	arrival, begun, err := p.deps.Repositories.Arriving(ctx, project)
	if err != nil || !begun {
		return err
	}
	coming, err := p.coming(ctx, project, core.Author{Kind: core.AuthorUser, Name: "Somebody"}, arrival)
	if err == nil {
		coming.resumed = true
		err = coming.carryOut(ctx)
	}
	if core.IsCode(err, core.CodeConflict) || core.IsCode(err, core.CodeNotFound) {
		p.deps.Log.WarnContext(ctx, "a version that was arriving is given up", "project", project, "version", arrival.To, "error", err)
		p.fresh.add(project)
		return nil
	}
	return err
}

// coming brings a project's files from one version to another.
type coming struct {
	pipeline    *Pipeline
	project     core.ID
	by          core.Author
	tree        worktree.Tree
	arrival     vcs.Arrival
	differences []vcs.Difference
	// gone are the files that the arrival removes, so they block nothing.
	gone pathSet
	// resumed says that part of the arrival may have been carried out already.
	resumed bool
	pending []core.FileChange
	bytes   int
}

func (p *Pipeline) coming(ctx context.Context, project core.ID, by core.Author, arrival vcs.Arrival) (*coming, error) {
	tree, err := p.open(ctx, project)
	if err != nil {
		return nil, err
	}
	differences, err := p.deps.Repositories.Compare(ctx, project, arrival.From, arrival.To)
	if err != nil {
		return nil, err
	}
	c := &coming{pipeline: p, project: project, by: by, tree: tree, arrival: arrival, differences: differences, gone: pathSet{}}
	for _, difference := range differences {
		if difference.After == nil {
			c.gone[difference.Path] = true
		}
	}
	return c, nil
}

// checkVacant returns core.CodeConflict if a new file would replace something that no
// version has.
func (c *coming) checkVacant(ctx context.Context) error {
	for _, difference := range c.differences {
		if difference.Before != nil {
			continue
		}
		vacant, err := c.isVacant(ctx, difference.Path)
		if err != nil {
			return err
		}
		if !vacant {
			return core.Errorf(core.CodeConflict, "%s is in the way: it is in the project but in no version", difference.Path)
		}
	}
	return nil
}

func (c *coming) isVacant(ctx context.Context, path core.ProjectPath) (bool, error) {
	info, err := c.tree.Stat(ctx, path)
	switch {
	case core.IsCode(err, core.CodePathTraversal):
		return false, nil
	case err == nil:
		return info.Dir && c.holdsOnlyGone(path), nil
	case !core.IsCode(err, core.CodeNotFound):
		return false, err
	}
	for above := path.Dir(); !above.IsRoot(); above = above.Dir() {
		info, err := c.tree.Stat(ctx, above)
		if err == nil {
			return info.Dir || c.gone[above], nil
		}
		if !core.IsCode(err, core.CodeNotFound) {
			return false, err
		}
	}
	return true, nil
}

// holdsOnlyGone reports whether every file below a directory is one that goes.
func (c *coming) holdsOnlyGone(dir core.ProjectPath) bool {
	err := fs.WalkDir(c.tree.FS(), dir.String(), func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		path, err := core.ParsePath(name)
		if err != nil {
			return err
		}
		if !c.gone[path] {
			return fs.ErrExist
		}
		return nil
	})
	return err == nil
}

// begin stores a write-ahead note of the new version and carries out the arrival. A
// crash after the note leaves the project marked, for other processes too.
func (c *coming) begin(ctx context.Context) error {
	err := c.pipeline.markToEnd(ctx, c.project)
	if err == nil {
		err = c.pipeline.deps.Repositories.Arrive(ctx, c.project, c.arrival)
	}
	if err != nil {
		// The note may have been stored despite the error.
		c.pipeline.fresh.drop(c.project)
		return err
	}
	return c.carryOut(ctx)
}

// carryOut changes the files and then the version. After a failure the next touch
// continues.
func (c *coming) carryOut(ctx context.Context) error {
	err := c.pipeline.markToEnd(ctx, c.project)
	if err == nil {
		err = c.changeAll(ctx)
	}
	if err == nil {
		err = c.pipeline.deps.Repositories.Settle(ctx, c.project, c.arrival)
	}
	if err != nil {
		c.pipeline.fresh.drop(c.project)
	}
	return err
}

// changeAll changes the files: it removes files before it writes new ones.
func (c *coming) changeAll(ctx context.Context) error {
	for _, isGone := range []bool{true, false} {
		for _, difference := range c.differences {
			if isGone != (difference.After == nil) {
				continue
			}
			if err := c.change(ctx, difference); err != nil {
				return err
			}
		}
		if err := c.flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

// change plans the change of one path.
func (c *coming) change(ctx context.Context, difference vcs.Difference) error {
	if c.resumed {
		stands, err := c.stands(ctx, difference)
		if err != nil || !stands {
			return err
		}
	}
	if difference.After == nil {
		return c.add(ctx, core.FileChange{Op: core.OpDelete, Path: difference.Path})
	}
	if info, err := c.tree.Stat(ctx, difference.Path); err == nil && info.Dir && c.holdsOnlyGone(difference.Path) {
		if err := c.add(ctx, core.FileChange{Op: core.OpDelete, Path: difference.Path}); err != nil {
			return err
		}
	}
	content, err := c.pipeline.deps.Repositories.Content(ctx, c.project, *difference.After, maxStagedBytes)
	if err != nil {
		return err
	}
	executable := difference.After.Executable
	return c.add(ctx, core.FileChange{Op: core.OpWrite, Path: difference.Path, Content: content, Executable: &executable})
}

// stands reports whether a path has the content of the earlier version.
func (c *coming) stands(ctx context.Context, difference vcs.Difference) (bool, error) {
	content, found, err := Snapshot{c.tree}.Read(ctx, difference.Path)
	switch {
	case core.IsCode(err, core.CodePayloadTooLarge) || core.IsCode(err, core.CodePathTraversal):
		return false, nil
	case err != nil:
		return false, err
	case !found:
		return difference.Before == nil, nil
	case difference.Before == nil:
		return false, nil
	}
	return c.pipeline.deps.Repositories.Holds(*difference.Before, content), nil
}

func (c *coming) add(ctx context.Context, change core.FileChange) error {
	c.pending = append(c.pending, change)
	if c.bytes += len(change.Content); c.bytes < maxBatchBytes && len(c.pending) < maxBatchFiles {
		return nil
	}
	return c.flush(ctx)
}

// flush carries out the planned changes. A file that was edited after a crash stays.
func (c *coming) flush(ctx context.Context) error {
	if len(c.pending) == 0 {
		return nil
	}
	results, err := c.pipeline.carryOut(ctx, c.tree, c.project, hand{c.by, true}, c.pending)
	for i, result := range results {
		if c.resumed && core.IsCode(result.Err, core.CodeConflict) || c.pending[i].Op == core.OpDelete && core.IsCode(result.Err, core.CodeNotFound) {
			continue
		}
		err = errors.Join(err, result.Err)
	}
	c.pending, c.bytes = nil, 0
	if err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the files cannot be stored: what is left is done as soon as they can")
	}
	return nil
}
