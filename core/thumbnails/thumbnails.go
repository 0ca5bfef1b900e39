package thumbnails

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/core/preview"
	"github.com/atelierhq/atelier/ports/broadcast"
	"github.com/atelierhq/atelier/ports/browser"
	"github.com/atelierhq/atelier/ports/storage"
)

// Previews returns the address of a project's preview; preview.Service implements it.
type Previews interface {
	Status(ctx context.Context, project core.ID) (preview.Status, error)
}

// Deps has the dependencies of a Service. Origin is the public address of the API, without
// a slash at its end. Log gets failures to take a picture.
type Deps struct {
	Enabled  Switch
	Store    storage.Store
	Gate     *access.Gate
	Bus      broadcast.Bus
	Browser  browser.Browser
	Previews Previews
	Origin   Origin
	Now      func() time.Time
	Log      *slog.Logger
}

// Refresher is Service.Refresh, for use cases that change what a picture shows.
type Refresher func(project core.ID)

// Origin is the public address of the API, without a slash at its end.
type Origin string

// Switch says whether pictures are taken at all.
type Switch bool

// Width and Height are the size of a picture in pixels. It shows the top of a page in a window
// of twice that size.
const (
	Width  = browser.DesktopWidth / 2
	Height = browser.DesktopHeight / 2
)

const (
	// settleTime is the debounce time: it combines several requests into one picture.
	settleTime = 2 * time.Second
	// takeLimit bounds taking one picture, including a build that may be necessary.
	takeLimit = time.Minute
	// maxWaiting bounds the projects that wait for a picture.
	maxWaiting = 1000
)

// Service has the use cases around pictures of projects. It may be used by many
// goroutines. Pictures are taken one at a time.
type Service struct {
	deps Deps
	life context.Context
	end  context.CancelFunc

	mu sync.Mutex
	// waiting is the queue of projects that need a picture, each once.
	waiting []core.ID
	working bool
	running sync.WaitGroup
}

// New returns a service that does nothing yet.
func New(deps Deps) *Service {
	life, end := context.WithCancel(context.Background())
	return &Service{deps: deps, life: life, end: end}
}

// Close ends the taking of pictures and waits for it.
func (s *Service) Close() {
	s.mu.Lock()
	s.end()
	s.mu.Unlock()
	s.running.Wait()
}

// Get returns a project's picture. It returns core.CodeNotFound if there is none yet.
// Other errors are those of access.Gate.Project.
func (s *Service) Get(ctx context.Context, by core.Actor, project core.ID) (core.Thumbnail, error) {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionProjectRead, project); err != nil {
		return core.Thumbnail{}, err
	}
	return s.deps.Store.Tables().Thumbnails.ByProject(ctx, project)
}

// Renew has a new picture taken soon. Errors are those of access.Gate.Project.
func (s *Service) Renew(ctx context.Context, by core.Actor, project core.ID) error {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionProjectUpdate, project); err != nil {
		return err
	}
	s.Refresh(project)
	return nil
}

// Refresh is Renew for callers that have already checked access.
func (s *Service) Refresh(project core.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.deps.Enabled || s.life.Err() != nil || len(s.waiting) >= maxWaiting {
		return
	}
	for _, other := range s.waiting {
		if other == project {
			return
		}
	}
	s.waiting = append(s.waiting, project)
	if !s.working {
		s.working = true
		s.running.Go(s.work)
	}
}

// work takes pictures until the queue is empty.
func (s *Service) work() {
	for {
		if ctxsync.Sleep(s.life, settleTime) != nil {
			return
		}
		project, found := s.next()
		if !found {
			return
		}
		ctx, cancel := context.WithTimeout(s.life, takeLimit)
		if err := s.take(ctx, project); err != nil && s.life.Err() == nil {
			s.deps.Log.InfoContext(ctx, "could not take a thumbnail", "project", project, "error", err)
		}
		cancel()
	}
}

func (s *Service) next() (core.ID, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) == 0 {
		s.working = false
		return "", false
	}
	project := s.waiting[0]
	s.waiting = s.waiting[1:]
	return project, true
}

// take takes the picture of a project's preview and stores it.
func (s *Service) take(ctx context.Context, project core.ID) error {
	if err := s.deps.Browser.Available(ctx); err != nil {
		return err
	}
	status, err := s.deps.Previews.Status(ctx, project)
	if err != nil {
		return err
	}
	picture, err := s.photograph(ctx, project, status.URL+"/")
	if err != nil {
		return err
	}
	if len(picture) > core.MaxThumbnailBytes {
		return core.Errorf(core.CodeUnavailable, "the picture has %d bytes", len(picture))
	}
	return s.store(ctx, core.Thumbnail{ProjectID: project, PNG: picture, TakenAt: core.At(s.deps.Now())})
}

// photograph takes a picture of a page that answers well.
func (s *Service) photograph(ctx context.Context, project core.ID, address string) ([]byte, error) {
	tab, err := s.deps.Browser.Open(ctx, browser.Page{Address: address, Tenant: string(project), ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer tab.Close()
	if tab.Status() != http.StatusOK {
		return nil, core.Errorf(core.CodeUnavailable, "the page answered with status %d", tab.Status())
	}
	return tab.Picture(ctx, Width)
}

// store stores a picture and its address in the project's record. The address changes
// with the picture, so that browsers may cache it.
func (s *Service) store(ctx context.Context, thumbnail core.Thumbnail) error {
	address := string(s.deps.Origin) + "/projects/" + url.PathEscape(string(thumbnail.ProjectID)) + "/thumbnail?v=" + strconv.FormatInt(int64(thumbnail.TakenAt), 36)
	err := s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if err := tables.Thumbnails.Put(ctx, thumbnail); err != nil {
			return err
		}
		_, err := tables.Projects.Update(ctx, thumbnail.ProjectID, func(project *core.Project) error {
			project.ThumbnailURL = &address
			return nil
		})
		return err
	})
	if err != nil {
		return err
	}
	return s.deps.Bus.Publish(ctx, core.Notice{Kind: core.NoticeProject, ProjectID: thumbnail.ProjectID})
}
