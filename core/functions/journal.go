package functions

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/lru"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/functions"
)

// Run is what the project's members see of a call: no body, and no token.
type Run struct {
	At       core.Time `json:"time"`
	Function string    `json:"function"`
	Method   string    `json:"method"`
	Path     string    `json:"path"`
	Status   int       `json:"status"`
	Millis   int64     `json:"ms"`
	// Error is the exception with its stack, empty for an answer.
	Error   string           `json:"error,omitempty"`
	Console []functions.Line `json:"console"`
}

// minSecretBytes is the length from which a value of the environment is kept out of the journal:
// shorter ones, such as a port or "true", are words that stand everywhere.
const minSecretBytes = 6

// without returns the run without the values of the environment.
func (r Run) without(secrets map[string]string) Run {
	var pairs []string
	for key, value := range secrets {
		if len(value) >= minSecretBytes {
			pairs = append(pairs, value, "["+key+"]")
		}
	}
	clean := strings.NewReplacer(pairs...).Replace
	r.Path, r.Error, r.Console = clean(r.Path), clean(r.Error), slices.Clone(r.Console)
	for i := range r.Console {
		r.Console[i].Text = clean(r.Console[i].Text)
	}
	return r
}

// Bounds of the journal.
const (
	// maxRuns is how many of the newest runs of a place are kept.
	maxRuns = 200
	// maxJournalBytes bounds the journal of one place, maxPlaces the number of places.
	maxJournalBytes = 512 << 10
	maxPlaces       = 500
)

// journal keeps the newest runs in memory.
type journal struct {
	mu     sync.Mutex
	places *lru.Cache[backend.Place, []Run]
}

func newJournal() *journal {
	return &journal{places: lru.New[backend.Place](maxPlaces, func([]Run) int64 { return 1 })}
}

func (j *journal) add(place backend.Place, run Run) {
	j.mu.Lock()
	defer j.mu.Unlock()
	runs, _ := j.places.Get(place)
	runs = append([]Run{run}, runs[:min(len(runs), maxRuns-1)]...)
	size := 0
	for i, kept := range runs {
		if size += kept.bytes(); size > maxJournalBytes && i > 0 {
			runs = runs[:i]
			break
		}
	}
	j.places.Put(place, runs)
}

func (r Run) bytes() int {
	size := len(r.Error) + len(r.Path) + 200
	for _, line := range r.Console {
		size += len(line.Text) + 50
	}
	return size
}

// Recent returns the newest runs of a project's functions in this process, the newest first.
func (s *Service) Recent(ctx context.Context, by core.Actor, project core.ID, env core.DataEnv) ([]Run, error) {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionBackendRead, project); err != nil {
		return nil, err
	}
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	runs, _ := s.journal.places.Get(backend.Place{Project: project, Env: env})
	return slices.Clone(runs), nil
}
