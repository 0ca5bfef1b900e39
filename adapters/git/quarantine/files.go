package quarantine

import (
	"context"
	"path"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/adapters/git/objects"
	"github.com/atelierhq/atelier/core"
)

// maxCopiedBytes bounds the files that take the places of links: a large file under many
// names makes a small pack.
const maxCopiedBytes = 64 << 20

// choice is what a project can hold of a version.
type choice struct {
	pack *Quarantine
	// files are those of the version, and its links, in order; at finds them.
	files []chosenFile
	at    map[string]objects.TreeEntry
	// copied is how many bytes links may still become.
	copied  int64
	omitted core.Omissions
}

type chosenFile struct {
	name  string
	entry objects.TreeEntry
}

// Files passes the files of a commit to add, one after the other, as changes that write
// them. It leaves out what CheckFiles passes over, and returns that.
func (q *Quarantine) Files(ctx context.Context, commit plumbing.Hash, add func(core.FileChange) error) (core.Omissions, error) {
	q.objects.ctx = ctx
	found, err := q.Commit(commit)
	if err != nil {
		return core.Omissions{}, err
	}
	c := &choice{pack: q, at: map[string]objects.TreeEntry{}, copied: maxCopiedBytes}
	if err := c.list("", found.Tree); err != nil {
		return core.Omissions{}, err
	}
	for _, file := range c.files {
		if err := ctx.Err(); err != nil {
			return core.Omissions{}, err
		}
		if err := c.pass(file, add); err != nil {
			return core.Omissions{}, err
		}
	}
	return c.omitted, nil
}

// list lists a folder.
func (c *choice) list(prefix string, tree plumbing.Hash) error {
	children, err := c.pack.tree(tree)
	if err != nil {
		return err
	}
	second := map[string]bool{}
	for _, pair := range twinsOf(children) {
		second[pair[1]] = true
	}
	for _, child := range children {
		name := prefix + child.Name
		_, invalid := core.ParsePath(name)
		switch {
		case second[child.Name]:
			c.omitted.Spellings = append(c.omitted.Spellings, name)
		case child.Mode == objects.ModeSubmodule:
			c.omitted.Submodules = append(c.omitted.Submodules, name)
		case isOdd(child) && invalid != nil:
			c.omitted.Names = append(c.omitted.Names, name)
		case child.IsTree():
			if err := c.list(name+"/", child.Hash); err != nil {
				return err
			}
		default:
			c.files = append(c.files, chosenFile{name, child})
			c.at[name] = child
		}
	}
	return nil
}

// pass passes a file to add, or the file to which a link leads.
func (c *choice) pass(file chosenFile, add func(core.FileChange) error) error {
	entry := file.entry
	isLink := entry.Mode == objects.ModeLink
	if isLink {
		var err error
		if entry, err = c.follow(file); err != nil {
			return err
		}
		if entry.Mode == 0 {
			c.omitted.Links = append(c.omitted.Links, file.name)
			return nil
		}
		c.omitted.Copies = append(c.omitted.Copies, file.name)
	}
	to, err := core.ParsePath(file.name)
	if err != nil {
		return err
	}
	_, content, err := c.pack.read(entry.Hash)
	if err != nil {
		return err
	}
	if isLink {
		c.copied -= int64(len(content))
	}
	executable := entry.Mode == objects.ModeExecutable
	return add(core.FileChange{Op: core.OpWrite, Path: to, Content: content, Executable: &executable})
}

// follow returns the file to which a link leads, none if that is no file of the version, or
// if too much has been copied.
func (c *choice) follow(link chosenFile) (objects.TreeEntry, error) {
	for range core.MaxLinkSteps {
		at, found := c.pack.known[link.entry.Hash]
		if !found || c.pack.entries[at].size > core.MaxPathBytes || c.copied < 0 {
			break
		}
		_, target, err := c.pack.read(link.entry.Hash)
		if err != nil {
			return objects.TreeEntry{}, err
		}
		if path.IsAbs(string(target)) {
			break
		}
		link.name = path.Join(path.Dir(link.name), string(target))
		link.entry = c.at[link.name]
		if link.entry.Mode != objects.ModeLink {
			return link.entry, nil
		}
	}
	return objects.TreeEntry{}, nil
}

// Pointers returns the paths of a commit's files that came with the pack as pointers of Git LFS,
// most at most.
func (q *Quarantine) Pointers(ctx context.Context, commit plumbing.Hash, most int) ([]string, error) {
	found, err := q.Commit(commit)
	if err != nil {
		return nil, err
	}
	return q.pointersBelow(ctx, "", found.Tree, most)
}

func (q *Quarantine) pointersBelow(ctx context.Context, prefix string, tree plumbing.Hash, most int) ([]string, error) {
	children, err := q.tree(tree)
	if err == nil {
		err = ctx.Err()
	}
	var paths []string
	for _, child := range children {
		at, isNew := q.known[child.Hash]
		if err != nil || len(paths) == most {
			break
		}
		switch {
		case !isNew:
		case child.IsTree():
			var below []string
			below, err = q.pointersBelow(ctx, prefix+child.Name+"/", child.Hash, most-len(paths))
			paths = append(paths, below...)
		case q.entries[at].size < core.MaxLFSPointerBytes:
			var content []byte
			if content, err = q.objects.content(at); err == nil && core.IsLFSPointer(content) {
				paths = append(paths, prefix+child.Name)
			}
		}
	}
	return paths, err
}
