package files

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// maxEditors bounds how many people one version names.
const maxEditors = 5

// editors knows who has edited a project by hand since this process last committed everything
// staged in it.
type editors struct {
	mu    sync.Mutex
	names map[core.ID][]string
}

func newEditors() *editors { return &editors{names: map[core.ID][]string{}} }

func (e *editors) add(project core.ID, by core.Author) {
	if by.Kind != core.AuthorUser || by.Name == "" {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if known := e.names[project]; len(known) < maxEditors && !slices.Contains(known, by.Name) {
		e.names[project] = append(known, by.Name)
	}
}

func (e *editors) drop(project core.ID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.names, project)
}

// author names the people together. Edits from before the process started belong to "somebody".
func (e *editors) author(project core.ID) core.Author {
	e.mu.Lock()
	defer e.mu.Unlock()
	name := strings.Join(e.names[project], ", ")
	if name == "" {
		name = "Somebody"
	}
	return core.Author{Kind: core.AuthorUser, Name: name}
}

// edit returns the record of a person's unversioned edit; nil for the agent's changes and for
// changes that become a version under the same lock.
func (e *editors) edit(project core.ID, set changeSet, now time.Time) *storage.Edit {
	if set.by.Kind != core.AuthorUser || set.committed {
		return nil
	}
	e.add(project, set.by)
	return &storage.Edit{Project: project, At: core.At(now), By: e.author(project).Name}
}
