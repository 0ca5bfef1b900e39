package gitsync

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/merge"
	"github.com/atelierhq/atelier/core/tasks"
	"github.com/atelierhq/atelier/ports/vcs"
)

// Take says how a conflict is settled.
type Take string

// The ways: the project's version, the repository's, or a text that a person wrote.
const (
	TakeOurs   Take = "ours"
	TakeTheirs Take = "theirs"
	TakeText   Take = "text"
)

const (
	// maxShownBytes bounds the texts of all conflicts that are shown together.
	maxShownBytes = 4 << 20
	// maxAgentChars bounds the texts that the agent gets.
	maxAgentChars = 80_000
)

// labels are the names of both sides in conflict markers.
func labels() merge.Labels { return merge.Labels{Ours: "the project", Theirs: "the repository"} }

// Settlement settles one conflict. ID is that of the conflict, as it was seen.
type Settlement struct {
	Path string
	ID   string
	Take Take
	Text string
}

// Conflict is a file that both sides changed.
type Conflict struct {
	Path    string `json:"path"`
	Message string `json:"message"`
	// ID names the contents of both sides.
	ID string `json:"id"`
	// Ours and Theirs are nil for no file, and for one that is no text or too large.
	Ours   *string `json:"ours"`
	Theirs *string `json:"theirs"`
	// Merged has the markers of git around the places; nil if it is not a text on both sides.
	Merged *string `json:"merged"`
}

// Conflicts returns the conflicts between the project as it is now and the branch as it was seen
// last. Of very large texts only the first have contents.
func (s *Service) Conflicts(ctx context.Context, by core.Actor, project core.ID) ([]Conflict, error) {
	remote, err := s.find(ctx, by, core.ActionRemoteRead, project)
	if err != nil || remote.Tip == "" {
		return []Conflict{}, err
	}
	return s.conflicts(ctx, remote)
}

func (s *Service) conflicts(ctx context.Context, remote core.ProjectRemote) ([]Conflict, error) {
	lines, err := s.deps.History.Lines(ctx, remote.ProjectID, remote.Tip)
	if err != nil || lines.Base == lines.Theirs || lines.Base == lines.Ours {
		return []Conflict{}, err
	}
	p, err := newPlan(ctx, lines, nil, false)
	if err != nil {
		return nil, err
	}
	found, left := make([]Conflict, 0, len(p.conflicts)), maxShownBytes
	for _, side := range p.conflicts {
		conflict := Conflict{Path: side.path.String(), Message: side.message, ID: side.id()}
		texts, isText, err := p.texts(side)
		if err != nil {
			return nil, err
		}
		if size := len(texts[1]) + len(texts[2]); isText && size <= left {
			left -= 2 * size
			conflict.show(side, texts)
		}
		found = append(found, conflict)
	}
	return found, nil
}

// show sets the texts.
func (c *Conflict) show(side sides, texts [3][]byte) {
	for i, blob := range []*vcs.Blob{side.ours, side.theirs} {
		text := string(texts[i+1])
		if blob == nil || !utf8.ValidString(text) {
			continue
		}
		if i == 0 {
			c.Ours = &text
		} else {
			c.Theirs = &text
		}
	}
	if c.Ours == nil || c.Theirs == nil {
		return
	}
	marked, _ := merge.Marked(texts[0], texts[1], texts[2], labels())
	text := string(marked)
	c.Merged = &text
}

// Settle joins both sides, with the conflicts settled as a person says, and then pushes. It returns
// core.CodeConflict with the conflicts that are left, or that have changed since they were seen, and
// core.CodeChatBusy while the agent works in the project.
func (s *Service) Settle(ctx context.Context, by core.Actor, project core.ID, settlements []Settlement) (Connection, error) {
	remote, err := s.find(ctx, by, core.ActionRemoteMerge, project)
	if err != nil {
		return Connection{}, err
	}
	settled := map[string]Settlement{}
	for _, one := range settlements {
		switch {
		case one.Take != TakeOurs && one.Take != TakeTheirs && one.Take != TakeText:
			return Connection{}, core.Errorf(core.CodeValidationFailed, "take must be ours, theirs or text")
		case int64(len(one.Text)) > int64(s.deps.MaxFileBytes):
			return Connection{}, core.Errorf(core.CodePayloadTooLarge, "%s has %d bytes, at most %d are allowed", one.Path, len(one.Text), s.deps.MaxFileBytes)
		case one.Take == TakeText && labels().Mark([]byte(one.Text)):
			return Connection{}, core.Errorf(core.CodeValidationFailed, "%s still has the markers of a conflict: choose which lines stay, and remove those that begin with <<<<<<<, ======= and >>>>>>>", one.Path)
		}
		settled[one.Path] = one
	}
	if remote.Tip == "" {
		return Connection{}, core.Errorf(core.CodeConflict, "there is nothing to settle")
	}
	_, err = s.join(ctx, remote, by, files.JoinRequest{Theirs: remote.Tip, Merge: func(ctx context.Context, lines files.Lines) ([]vcs.JoinedFile, error) {
		p, err := newPlan(ctx, lines, settled, false)
		if err != nil {
			return nil, err
		}
		return p.joined()
	}})
	if err != nil {
		return Connection{}, err
	}
	_, err = s.deps.Store.Tables().ProjectRemotes.Update(ctx, remote.ID, func(stored *core.ProjectRemote) error {
		stored.State, stored.Problem, stored.Conflicts, stored.TaskID, stored.TaskTip = core.RemoteWaiting, "", nil, nil, ""
		return nil
	})
	if err != nil {
		return Connection{}, err
	}
	return s.hasten(ctx, remote.ID)
}

// Delegate has the agent settle the conflicts, in a task on a copy of the project. Once a person has
// merged the task, the project's side is taken. It returns core.CodeConflict without conflicts, and
// core.CodePayloadTooLarge for conflicts that are too large for the agent, and the errors of
// tasks.Board.Begin.
func (s *Service) Delegate(ctx context.Context, by core.Actor, project core.ID) (Connection, error) {
	remote, err := s.find(ctx, by, core.ActionRemoteMerge, project)
	if err != nil {
		return Connection{}, err
	}
	conflicts, err := s.conflicts(ctx, remote)
	if err != nil {
		return Connection{}, err
	}
	if len(conflicts) == 0 {
		return Connection{}, core.Errorf(core.CodeConflict, "there is nothing to settle")
	}
	content, err := requestToSettle(conflicts)
	if err != nil {
		return Connection{}, err
	}
	task, err := s.deps.Tasks.Begin(ctx, by, project, tasks.Draft{Content: content, Title: "Settle conflicts with " + remote.Branch})
	if err != nil {
		return Connection{}, err
	}
	stored, err := s.deps.Store.Tables().ProjectRemotes.Update(ctx, remote.ID, func(stored *core.ProjectRemote) error {
		stored.TaskID, stored.TaskTip = &task.ID, remote.Tip
		return nil
	})
	return shown(stored), err
}

// requestToSettle asks the agent to settle conflicts.
func requestToSettle(conflicts []Conflict) (string, error) {
	var text strings.Builder
	text.WriteString("The project is connected to a repository on another host, and these files were changed on both sides. This copy has the project's files. " +
		"Change each so that both changes keep their purpose, and leave no markers. A file that was deleted on one side: keep it or delete it, whichever serves both.\n")
	for _, conflict := range conflicts {
		fmt.Fprintf(&text, "\n%s %s.\n", conflict.Path, conflict.Message)
		switch {
		case conflict.Merged != nil:
			fmt.Fprintf(&text, "Both versions, with the conflicting places marked:\n~~~~~\n%s\n~~~~~\n", *conflict.Merged)
		case conflict.Theirs != nil:
			fmt.Fprintf(&text, "The repository's version:\n~~~~~\n%s\n~~~~~\n", *conflict.Theirs)
		case conflict.Ours == nil:
			return "", core.Errorf(core.CodePayloadTooLarge, "%s is no text, or too large for the agent: settle the conflicts yourself", conflict.Path)
		}
	}
	if utf8.RuneCountInString(text.String()) > maxAgentChars {
		return "", core.Errorf(core.CodePayloadTooLarge, "the conflicts are too large for the agent: settle them yourself")
	}
	return text.String(), nil
}
