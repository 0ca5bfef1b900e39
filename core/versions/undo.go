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

// Undo takes back what one version of the agent's changed, and makes a version of
// that in the caller's name. Later edits stay: each file is merged line by line, with
// the version as the base, between how the file is now and how it was before.
//
// It returns core.CodeNotFound for a version that is not there; core.CodeConflict for
// one that a person made, for one of which nothing is left to take back, and, with the
// places in the message, where later edits touch the same lines: then nothing has
// changed; core.CodeChatBusy while the agent is at work in the project; and
// core.CodePayloadTooLarge for a version that changed too much.
func (s *Service) Undo(ctx context.Context, by core.Actor, project core.ID, version string) (core.Version, error) {
	author, err := s.author(ctx, by, project)
	if err != nil {
		return core.Version{}, err
	}
	undone, changes, err := s.files.Changes(ctx, project, version)
	if err != nil {
		return core.Version{}, err
	}
	if undone.Author.Kind != core.AuthorAgent {
		return core.Version{}, core.Errorf(core.CodeConflict, "this version was made by %s: only versions that the agent made can be undone", undone.Author.Name)
	}
	made, changed, err := s.filesAs(by).Revise(ctx, project, func(ctx context.Context, now files.Snapshot) (files.Revision, error) {
		// Under the project's lock: a run that begins after this waits with its first
		// change until the undoing is committed.
		if err := s.checkIdle(ctx, project); err != nil {
			return files.Revision{}, err
		}
		back, err := reverted(ctx, now, changes)
		return files.Revision{Changes: back, Commit: vcs.Commit{Message: undoMessage(undone.Message), Author: author}}, err
	})
	if err == nil && !changed {
		err = core.Errorf(core.CodeConflict, "nothing is left of what this version changed")
	}
	return made, err
}

// undoMessage is the message of the version that undoes another.
func undoMessage(message string) string { return headed("Undo: ", message) }

// headed is a word and the first line of another version's message.
func headed(word, message string) string {
	line, _, _ := strings.Cut(message, "\n")
	text := word + line
	if utf8.RuneCountInString(text) > files.MaxMessageChars {
		text = string([]rune(text)[:files.MaxMessageChars])
	}
	return text
}

// reverted returns the changes that take back others, deletions first, or
// core.CodeConflict with all places where that cannot be done.
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
		return nil, core.Errorf(core.CodeConflict, "later edits stand in the way, nothing was changed: %s", listed(conflicts))
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
