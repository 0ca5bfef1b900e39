package versions

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/vcs"
)

// Undo undoes the changes of one version of the agent's, and makes a version of that
// in the caller's name. Later edits stay: each file is a three-way merge by lines of
// its current content and the content before the version, with the version as the
// base.
//
// It returns core.CodeNotFound if there is no such version, core.CodeChatBusy while a
// run is active in the project, and core.CodePayloadTooLarge for a version with too
// many changes. It returns core.CodeConflict, with nothing changed, for a version that
// a person made, if nothing is left to undo, and if later edits touch the same lines;
// the message then has the places.
func (s *Service) Undo(ctx context.Context, by core.Actor, project core.ID, version string) (core.Version, error) {
	author, err := s.author(ctx, by, project)
	if err != nil {
		return core.Version{}, err
	}
	undone, changes, err := s.history.Changes(ctx, project, version)
	if err != nil {
		return core.Version{}, err
	}
	if undone.Author.Kind != core.AuthorAgent {
		return core.Version{}, core.Errorf(core.CodeConflict, "this version was made by %s: only versions that the agent made can be undone", undone.Author.Name)
	}
	made, changed, err := s.committerAs(by).Revise(ctx, project, func(ctx context.Context, now files.Snapshot) (files.Revision, error) {
		// Checked under the project's lock: a run that begins later cannot change a
		// file until the undo is committed.
		if err := s.checkIdle(ctx, project); err != nil {
			return files.Revision{}, err
		}
		back, err := reverted(ctx, now, changes)
		return files.Revision{Changes: back, Commit: vcs.Commit{Message: undoMessage(undone.Message), Author: author}}, err
	})
	if err == nil && !changed {
		err = core.Errorf(core.CodeConflict, "nothing is left to undo: no change of this version remains")
	}
	return made, err
}

// undoMessage is the message of the version that undoes another.
func undoMessage(message string) string { return headed("Undo: ", message) }

// headed returns a word plus the first line of another version's message.
func headed(word, message string) string {
	line, _, _ := strings.Cut(message, "\n")
	text := word + line
	if utf8.RuneCountInString(text) > files.MaxMessageChars {
		text = string([]rune(text)[:files.MaxMessageChars])
	}
	return text
}

// reverted returns the changes that undo others, deletions first, or core.CodeConflict
// with all places where that is impossible.
func reverted(ctx context.Context, now files.Snapshot, changes []vcs.Change) ([]core.FileChange, error) {
	var deletions, writes []core.FileChange
	var conflicts []string
	for _, change := range changes {
		back, conflict, err := revertedFile(ctx, now, change)
		switch {
		case err != nil:
			return nil, err
		case conflict != "":
			conflicts = append(conflicts, conflict)
		case back == nil:
		case back.Op == core.OpDelete:
			deletions = append(deletions, *back)
		default:
			writes = append(writes, *back)
		}
	}
	if len(conflicts) > 0 {
		return nil, core.Errorf(core.CodeConflict, "later edits conflict, so nothing was changed: %s", listed(conflicts))
	}
	return append(deletions, writes...), nil
}

// maxListedConflicts bounds the places in one message.
const maxListedConflicts = 20

func listed(conflicts []string) string {
	if more := len(conflicts) - maxListedConflicts; more > 0 {
		conflicts = append(conflicts[:maxListedConflicts:maxListedConflicts], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(conflicts, "; ")
}
