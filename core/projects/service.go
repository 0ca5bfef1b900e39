package projects

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/attachments"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/thumbnails"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/broadcast"
	"github.com/atelierhq/atelier/ports/scaffold"
	"github.com/atelierhq/atelier/ports/sites"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree"
)

// Backends hold the data of projects' backends; backends.Service implements it.
type Backends interface {
	// RemoveData deletes all data of a project whose files are gone. It is idempotent.
	RemoveData(ctx context.Context, project core.ID) error
	// CopyTestData gives a new project a copy of the test data of another, if there are any.
	CopyTestData(ctx context.Context, from, to core.ID) error
	// HasData returns core.CodeNotFound for a place that holds no data.
	HasData(ctx context.Context, at backend.Place) error
	// ExportData writes the data of a place as the directory pb_data: a tar archive.
	ExportData(ctx context.Context, at backend.Place, to io.Writer) error
}

// Deps has the dependencies of a Service.
type Deps struct {
	Store     storage.Store
	Gate      *access.Gate
	Audit     *audit.Log
	Files     *files.Pipeline
	Trees     worktree.Trees
	Templates scaffold.Templates
	Sites     sites.Store
	Backends  Backends
	Remotes   vcs.Remotes
	// Attachments loads the images of first messages.
	Attachments *attachments.Loader
	Bus         broadcast.Bus
	// MaxFileBytes is the largest file that an import may hold, in bytes.
	MaxFileBytes files.MaxFileBytes
	// Quotas bound how many projects a workspace holds.
	Quotas core.Quotas
	// Retention is how long deleted projects are kept.
	Retention Retention
	// Address returns the URL of a site by its slug.
	Address Address
	// Origin is where pictures of templates are.
	Origin thumbnails.Origin
	// Queued is called after a run was queued, so that the worker need not wait for
	// its next poll. It must not block.
	Queued QueueWaker
	Now    func() time.Time
	Log    *slog.Logger
}

// QueueWaker wakes the worker of queued runs.
type QueueWaker func()

// Service has the use cases of projects. Every method first asks the gate; its errors
// are those of access.Gate and those that the method names.
type Service struct {
	*Creations
	*Catalogue
	*History
	*Exports
	*Trash
	*Sweeper
	*Views
	Copies  *Copies
	Gallery *Gallery
}

// NewService returns a service over the ports.
func NewService(deps Deps) *Service {
	d, views := &deps, &Views{deps.Address, deps.Retention}
	archives := newArchives()
	creations, trash := &Creations{d, views, archives}, newTrash(d, views)
	return &Service{
		Creations: creations,
		Catalogue: &Catalogue{d, views},
		History:   &History{d},
		Exports:   &Exports{d},
		Trash:     trash,
		Sweeper:   &Sweeper{d},
		Views:     views,
		Copies:    &Copies{creations, trash},
		Gallery:   &Gallery{d, archives},
	}
}

// announce tells the project's followers that its record changed. They can read it
// again at any time, so a failure of the bus is only logged.
func (d *Deps) announce(ctx context.Context, project core.ID) {
	if err := d.Bus.Publish(ctx, core.Notice{Kind: core.NoticeProject, ProjectID: project}); err != nil {
		d.Log.WarnContext(ctx, "could not notify followers of a changed project", "project", project, "error", err)
	}
}
