package checkout

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// Version describes the version that Push makes.
type Version struct {
	// Message is what it is called by, "" for words about what changed.
	Message string
	// Name and Email are those of the person.
	Name, Email string
	Now         time.Time
}

// PushResult is what Push did.
type PushResult struct {
	// Version is the project's newest version now.
	Version string   `json:"version"`
	Changes []Change `json:"changes"`
	// Skipped are links and other things in the folder that a project cannot have.
	Skipped []string `json:"skipped"`
}

// Push makes what changed in the folder a version of the project, together with commits that
// other clients have made here. It returns a *Conflict if the project has changed since the last
// Update, or while files have the markers of a conflict.
func (f *Folder) Push(ctx context.Context, to Service, as Version) (PushResult, error) {
	release, err := f.lock()
	if err != nil {
		return PushResult{}, err
	}
	defer release()
	head, err := f.head()
	if err != nil {
		return PushResult{}, err
	}
	tip, err := f.fetch(ctx, to)
	if err != nil {
		return PushResult{}, err
	}
	merged, err := f.mergeHead()
	if err != nil {
		return PushResult{}, err
	}
	if err := f.checkCurrent(tip, head, merged); err != nil {
		return PushResult{}, err
	}
	commit, done, err := f.commit(head, merged, as)
	if err != nil {
		return PushResult{}, err
	}
	if commit != tip {
		if err := f.upload(ctx, to, tip, commit); err != nil {
			return PushResult{}, err
		}
		if err := f.store.SetReference(plumbing.NewHashReference(remoteBranch, commit)); err != nil {
			return PushResult{}, err
		}
	}
	return done, f.move(commit)
}

// checkCurrent checks that the folder has all that the project has.
func (f *Folder) checkCurrent(tip plumbing.Hash, heads ...plumbing.Hash) error {
	newest, err := object.GetCommit(f.store, tip)
	if err != nil {
		return err
	}
	for _, head := range heads {
		if head == tip {
			return nil
		}
		if head.IsZero() {
			continue
		}
		commit, err := object.GetCommit(f.store, head)
		if err != nil {
			return err
		}
		if within, err := newest.IsAncestor(commit); err != nil || within {
			return err
		}
	}
	return outdated()
}

// commit makes a commit of what changed, head itself if nothing did. The branch does not move.
func (f *Folder) commit(head, merged plumbing.Hash, as Version) (plumbing.Hash, PushResult, error) {
	before, err := f.filesOf(head)
	if err != nil {
		return plumbing.ZeroHash, PushResult{}, err
	}
	after, skipped, err := f.scan(before)
	if err != nil {
		return plumbing.ZeroHash, PushResult{}, err
	}
	done := PushResult{Version: head.String(), Changes: differences(before, after), Skipped: skipped}
	if len(done.Changes) == 0 && merged.IsZero() {
		return head, done, nil
	}
	if err := f.keep(before, after, done.Changes); err != nil {
		return plumbing.ZeroHash, PushResult{}, err
	}
	tree, err := f.writeTree(after, "")
	if err != nil {
		return plumbing.ZeroHash, PushResult{}, err
	}
	if as.Message == "" {
		as.Message = messageOf(done.Changes, !merged.IsZero())
	}
	who := object.Signature{Name: as.Name, Email: as.Email, When: as.Now}
	made := &object.Commit{Author: who, Committer: who, Message: as.Message + "\n", TreeHash: tree, ParentHashes: []plumbing.Hash{head}}
	if !merged.IsZero() {
		made.ParentHashes = append(made.ParentHashes, merged)
	}
	commit, err := f.writeObject(made.Encode)
	done.Version = commit.String()
	return commit, done, err
}

// keep stores the content of changed files. Their state becomes that of what is stored, should
// they change meanwhile.
func (f *Folder) keep(before, after map[string]file, changes []Change) error {
	var marked []string
	for _, change := range changes {
		if change.Kind == "removed" {
			continue
		}
		now, content, _, err := f.present(change.Path)
		if err != nil {
			return err
		}
		if !now.exists() {
			delete(after, change.Path)
			continue
		}
		old, err := f.content(before[change.Path])
		if err != nil {
			return err
		}
		if hasMarkers(content) && !hasMarkers(old) {
			marked = append(marked, change.Path)
		}
		if now.hash, err = f.writeBlob(content); err != nil {
			return err
		}
		after[change.Path] = now
	}
	if len(marked) > 0 {
		return &Conflict{Message: "these files still have the markers of a conflict", Next: "choose what stays, remove the lines <<<<<<<, ======= and >>>>>>>, then push again", Files: marked}
	}
	return nil
}

// hasMarkers reports whether a text has the markers of a conflict.
func hasMarkers(text []byte) bool {
	begun := false
	for line := range bytes.Lines(text) {
		begun = begun || bytes.HasPrefix(line, []byte("<<<<<<< "))
		if begun && bytes.HasPrefix(line, []byte(">>>>>>> ")) {
			return true
		}
	}
	return false
}

// messageOf says in words what changed.
func messageOf(changes []Change, merging bool) string {
	verbs := map[string]string{"added": "Add ", "changed": "Change ", "removed": "Remove "}
	switch {
	case merging:
		return "Merge the project's changes"
	case len(changes) == 1:
		return verbs[changes[0].Kind] + changes[0].Path
	}
	return fmt.Sprintf("Change %d files", len(changes))
}
