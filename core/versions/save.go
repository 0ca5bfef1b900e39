package versions

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
)

// Save makes a version of what is staged, in the caller's name. Changes of an active run
// are left to the run's own version. It returns core.CodeValidationFailed unless the
// message has 1 to files.MaxMessageChars characters, and core.CodeConflict if nothing is
// staged.
func (s *Service) Save(ctx context.Context, by core.Actor, project core.ID, message string) (core.Version, error) {
	author, err := s.author(ctx, by, project)
	if err != nil {
		return core.Version{}, err
	}
	if err := checkMessage(message); err != nil {
		return core.Version{}, err
	}
	made, changed, err := s.committerAs(by).CommitExcept(ctx, project, vcs.Commit{Message: strings.TrimSpace(message), Author: author}, s.changedByRuns(project))
	if err == nil && !changed {
		err = core.Errorf(core.CodeConflict, "nothing has changed since the last version")
	}
	if err != nil {
		return core.Version{}, err
	}
	return made, nil
}

func checkMessage(message string) error {
	n := utf8.RuneCountInString(message)
	if strings.TrimSpace(message) == "" || n > files.MaxMessageChars || !utf8.ValidString(message) || strings.ContainsRune(message, 0) {
		return core.Errorf(core.CodeValidationFailed, "message must have 1 to %d characters", files.MaxMessageChars)
	}
	return nil
}

// author asks the gate, and returns the caller's name in the history.
func (s *Service) author(ctx context.Context, by core.Actor, project core.ID) (core.Author, error) {
	user, _, err := s.gate.Person(ctx, by, core.ActionVersionWrite, project)
	return files.AuthorOf(user), err
}

// changedByRuns returns the paths that the active runs of a project have changed or are
// about to change.
func (s *Service) changedByRuns(project core.ID) files.Exclusion {
	return func(ctx context.Context) ([]core.ProjectPath, error) {
		return changedByRuns(ctx, s.store.Tables(), project)
	}
}

func changedByRuns(ctx context.Context, tables storage.Tables, project core.ID) ([]core.ProjectPath, error) {
	runs, err := tables.Chats.Runs(ctx, project)
	if err != nil {
		return nil, err
	}
	var changed []core.ProjectPath
	for _, run := range runs {
		changed = append(changed, run.Changed...)
		if run.Intent == nil {
			continue
		}
		for _, text := range []string{run.Intent.Path, run.Intent.To} {
			if path, err := core.ParsePath(text); err == nil {
				changed = append(changed, path)
			}
		}
	}
	return changed, nil
}
