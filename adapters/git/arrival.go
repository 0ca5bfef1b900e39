package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

// arrivalNote is a write-ahead note in this package's folder. It records that the
// project is moving from one version to another: their two names in one line.
const arrivalNote = "arriving"

// Arriving implements vcs.Repositories.
func (r *Repositories) Arriving(ctx context.Context, project core.ID) (vcs.Arrival, bool, error) {
	repo, err := r.open(ctx, project)
	if err != nil {
		return vcs.Arrival{}, false, err
	}
	text, err := os.ReadFile(repo.dir.Aside(arrivalNote))
	if errors.Is(err, fs.ErrNotExist) {
		return vcs.Arrival{}, false, nil
	}
	if err != nil {
		return vcs.Arrival{}, false, durable.Fault(err, "repository")
	}
	from, to, _ := strings.Cut(strings.TrimSuffix(string(text), "\n"), " ")
	return vcs.Arrival{From: from, To: to}, true, nil
}

// Arrive implements vcs.Repositories.
func (r *Repositories) Arrive(ctx context.Context, project core.ID, arrival vcs.Arrival) error {
	repo, err := r.open(ctx, project)
	if err != nil {
		return err
	}
	if _, err := repo.history.version(arrival.To); err != nil {
		return durable.Fault(err, "version")
	}
	at, err := repo.dir.Head()
	if err != nil {
		return durable.Fault(err, "repository")
	}
	if nameOf(at.Commit) != arrival.From {
		return fetchFirst()
	}
	batch := repo.dir.NewBatch()
	batch.AddNote(arrivalNote, []byte(arrival.From+" "+arrival.To+"\n"))
	return durable.Fault(batch.Write(), "repository")
}

// Settle implements vcs.Repositories.
func (r *Repositories) Settle(ctx context.Context, project core.ID, arrival vcs.Arrival) error {
	repo, err := r.open(ctx, project)
	if err != nil {
		return err
	}
	if _, err := repo.history.version(arrival.To); err != nil {
		return durable.Fault(err, "version")
	}
	err = repo.moveTo(ctx, arrival)
	if err == nil || core.IsCode(err, core.CodeConflict) {
		if forgotten := repo.dir.RemoveNote(arrivalNote); forgotten != nil {
			err = forgotten
		}
	}
	return durable.Fault(err, "repository")
}

// moveTo sets the repository's head to the version that arrived.
func (r *repository) moveTo(ctx context.Context, arrival vcs.Arrival) error {
	lock, err := r.dir.LockHead(ctx)
	if err != nil {
		return err
	}
	defer lock.Release()
	switch nameOf(lock.Head().Commit) {
	case arrival.To:
		return nil
	case arrival.From:
		batch := r.dir.NewBatch()
		lock.Move(batch, plumbing.NewHash(arrival.To))
		return batch.Write()
	}
	return fetchFirst()
}

// nameOf returns a version's id, "" for the zero hash.
func nameOf(commit plumbing.Hash) string {
	if commit.IsZero() {
		return ""
	}
	return commit.String()
}

// fetchFirst returns the conflict of a move from a version that is no longer the newest.
func fetchFirst() error {
	return core.Errorf(core.CodeConflict, "fetch first: the project has changed")
}
