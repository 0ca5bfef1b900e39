package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

// arrivingName is a write-ahead note in this package's folder. It records that the
// project is moving from one version to another: their two names in one line.
const arrivingName = "arriving"

// Arriving implements vcs.Repositories.
func (r *Repositories) Arriving(ctx context.Context, project core.ID) (vcs.Arrival, bool, error) {
	repo, err := r.open(ctx, project)
	if err != nil {
		return vcs.Arrival{}, false, err
	}
	text, err := os.ReadFile(filepath.Join(repo.aside(), arrivingName))
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
	if _, err := repo.version(arrival.To); err != nil {
		return durable.Fault(err, "version")
	}
	at, err := repo.head()
	if err != nil {
		return durable.Fault(err, "repository")
	}
	if nameOf(at.commit) != arrival.From {
		return overtaken()
	}
	l := landing{repo: repo}
	l.add(filepath.Join(asideDir, arrivingName), []byte(arrival.From+" "+arrival.To+"\n"), 0o644)
	return durable.Fault(l.land(), "repository")
}

// Settle implements vcs.Repositories.
func (r *Repositories) Settle(ctx context.Context, project core.ID, arrival vcs.Arrival) error {
	repo, err := r.open(ctx, project)
	if err != nil {
		return err
	}
	if _, err := repo.version(arrival.To); err != nil {
		return durable.Fault(err, "version")
	}
	err = repo.moveTo(ctx, arrival)
	if err == nil || core.IsCode(err, core.CodeConflict) {
		if forgotten := repo.forgetArrival(); forgotten != nil {
			err = forgotten
		}
	}
	return durable.Fault(err, "repository")
}

// moveTo sets the repository's head to the version that arrived.
func (r *repository) moveTo(ctx context.Context, arrival vcs.Arrival) error {
	at, err := r.head()
	if err != nil {
		return err
	}
	release, err := r.lock(ctx, filepath.Join(r.git, at.place))
	if err != nil {
		return err
	}
	defer release()
	if at, err = r.head(); err != nil {
		return err
	}
	switch nameOf(at.commit) {
	case arrival.To:
		return nil
	case arrival.From:
		l := landing{repo: r}
		l.add(at.place, []byte(arrival.To+"\n"), 0o644)
		return l.land()
	}
	return overtaken()
}

func (r *repository) forgetArrival() error {
	if err := r.check(); err != nil {
		return err
	}
	if err := removeFile(filepath.Join(r.aside(), arrivingName)); err != nil {
		return err
	}
	return durable.SyncDir(r.aside())
}

// nameOf returns a version's id, "" for the zero hash.
func nameOf(commit plumbing.Hash) string {
	if commit.IsZero() {
		return ""
	}
	return commit.String()
}

func overtaken() error {
	return core.Errorf(core.CodeConflict, "fetch first: the project has changed")
}
