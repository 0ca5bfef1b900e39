// Package disk keeps the projects' files and the published builds on a local, or
// a shared POSIX, file system.
//
// The folder of the projects holds one directory a project, named by its id, and
// ".atelier", the service's own: a marker that tells the folder from an empty
// mount point, and the temporary files. No project path can name anything in it.
// Nobody but the service's user can enter a project, whatever its files permit.
//
// Links are refused rather than confined: os.Root follows a link that stays
// inside its root, and one that leads to ".git" would let a plain write configure
// the repository. So every path is opened through package nofollow.
package disk

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/locks"
	"github.com/atelierhq/atelier/ports/worktree"
)

var _ worktree.Trees = (*Trees)(nil)

// serviceDir is the service's own folder below the roots of trees and of sites.
const serviceDir = ".atelier"

// Trees keeps one directory for each project. It is safe for concurrent use, and several
// processes may share the folder.
type Trees struct {
	root     string
	identity string
	scratch  *scratch
	reach    *durable.Reach
}

// NewTrees opens the folder of the projects, creates it and its marker if needed, and
// removes the temporary files of dead processes. If the folder cannot be used, the error
// has code core.CodeUnavailable.
func NewTrees(root string) (*Trees, error) {
	real, err := openRoot(root)
	if err != nil {
		return nil, durable.Fault(err, "projects folder")
	}
	identity, err := markRoot(real)
	if err != nil {
		return nil, durable.Fault(err, "projects folder")
	}
	scratch, err := openScratch(filepath.Join(real, serviceDir, "tmp"))
	if err != nil {
		return nil, durable.Fault(err, "projects folder")
	}
	return &Trees{root: real, identity: identity, scratch: scratch, reach: durable.NewReach()}, nil
}

// Close removes the folder of temporary files. Trees must not be used afterwards.
func (t *Trees) Close() error { return t.scratch.close() }

// Identity is a random name that the folder's marker has held since its first use. A
// caller that stores it elsewhere notices at its next start that another folder, or an
// empty mount point, has replaced the old one.
func (t *Trees) Identity() string { return t.identity }

// Create implements worktree.Trees.
func (t *Trees) Create(ctx context.Context, project core.ID) error {
	if err := t.usable(ctx, project); err != nil {
		return err
	}
	if err := t.present(); err != nil {
		return err
	}
	if err := os.Mkdir(t.base(project), 0o700); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return core.Errorf(core.CodeConflict, "the project already has files")
		}
		return durable.Fault(err, "project directory")
	}
	return durable.Fault(durable.SyncDir(t.root), "project directory")
}

// Open implements worktree.Trees.
func (t *Trees) Open(ctx context.Context, project core.ID) (worktree.Tree, error) {
	if err := t.usable(ctx, project); err != nil {
		return nil, err
	}
	found := &tree{trees: t, base: t.base(project)}
	info, err := t.reach.Lstat(ctx, found.base)
	if err != nil {
		return nil, found.absent(err, "project directory")
	}
	if !info.IsDir() {
		return nil, core.NotFound("project directory")
	}
	return found, nil
}

// Remove implements worktree.Trees. It moves the directory away in one step and deletes
// its content afterwards.
func (t *Trees) Remove(ctx context.Context, project core.ID) error {
	if err := t.usable(ctx, project); err != nil {
		return err
	}
	if err := t.present(); err != nil {
		return err
	}
	if err := locks.Check(ctx); err != nil {
		return err
	}
	trash := t.scratch.name()
	if err := os.Rename(t.base(project), trash); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return durable.Fault(err, "project directory")
	}
	if err := durable.SyncDir(t.root); err != nil {
		return durable.Fault(err, "project directory")
	}
	return durable.Fault(os.RemoveAll(trash), "project directory")
}

// Repair implements worktree.Trees.
func (t *Trees) Repair(ctx context.Context, project core.ID) error {
	if err := t.usable(ctx, project); err != nil {
		return err
	}
	if err := locks.Check(ctx); err != nil {
		return err
	}
	return durable.Fault(t.scratch.clear(string(project)), "projects folder")
}

// List implements worktree.Trees.
func (t *Trees) List(ctx context.Context) ([]core.ID, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := t.present(); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(t.root)
	if err != nil {
		return nil, durable.Fault(err, "projects folder")
	}
	var projects []core.ID
	for _, entry := range entries {
		if project, err := core.ParseID(entry.Name()); err == nil && entry.IsDir() {
			projects = append(projects, project)
		}
	}
	return projects, nil
}

// Check implements worktree.Trees: the marker is the one found at the start, and a file
// can be written, synced and moved to the projects.
func (t *Trees) Check(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := t.present(); err != nil {
		return err
	}
	if err := t.scratch.probe(t.root); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the projects' disk cannot be written")
	}
	return nil
}

func (t *Trees) usable(ctx context.Context, project core.ID) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err := core.ParseID(string(project))
	return err
}

func (t *Trees) base(project core.ID) string { return filepath.Join(t.root, string(project)) }

// present compares the marker with the one found at the start.
func (t *Trees) present() error {
	identity, err := os.ReadFile(markerOf(t.root))
	if err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the projects' disk is missing")
	}
	if strings.TrimSpace(string(identity)) != t.identity {
		return core.Errorf(core.CodeUnavailable, "the projects' disk has been replaced by another one")
	}
	return nil
}

// openRoot creates the folder, denies other users access to the service's part of it, and
// returns its path with links resolved, because paths in it are opened without following
// links.
func openRoot(root string) (string, error) {
	absolute, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(absolute, 0o700); err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(absolute)
	if err != nil {
		return "", err
	}
	return real, errors.Join(keepPrivate(real), durable.SyncDir(filepath.Dir(real)))
}

func markerOf(root string) string { return filepath.Join(root, serviceDir, "root") }

// markRoot returns the content of the folder's marker, and creates the marker if needed.
// Two processes that start at the same time agree on one marker.
func markRoot(root string) (string, error) {
	if err := os.MkdirAll(filepath.Join(root, serviceDir), 0o700); err != nil {
		return "", err
	}
	marker := markerOf(root)
	fresh := marker + "." + string(core.NewID())
	if _, err := os.Lstat(marker); errors.Is(err, fs.ErrNotExist) {
		defer os.Remove(fresh)
		if err := durable.WriteFile(fresh, []byte(core.NewID()+"\n"), 0o644); err != nil {
			return "", err
		}
		if err := os.Link(fresh, marker); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	if err := errors.Join(durable.SyncDir(filepath.Dir(marker)), durable.SyncDir(root)); err != nil {
		return "", err
	}
	identity, err := os.ReadFile(marker)
	return strings.TrimSpace(string(identity)), err
}
