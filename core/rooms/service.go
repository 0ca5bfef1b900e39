package rooms

import (
	"context"
	"errors"
	"hash/fnv"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/ports/broadcast"
	"github.com/atelierhq/atelier/ports/replica"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/unsaved"
)

// Deps has the dependencies of a Service. Log gets failures that no member is told of.
type Deps struct {
	Store     storage.Store
	Gate      *access.Gate
	Reader    files.Reader
	Writer    files.Writer
	Documents replica.Maker
	Bus       broadcast.Bus
	Unsaved   unsaved.Registry
	// MaxFileBytes is the largest file that people may write.
	MaxFileBytes files.MaxFileBytes
	// Exclusive lets rooms take over claims of other processes: those are dead.
	Exclusive core.SoleProcess
	// Present returns a project's record as clients of the API see it.
	Present Present
	// Standing returns nil while the caller's session or token is valid.
	Standing SessionCheck
	// Pace stretches how long a member has to read what is queued.
	Pace core.Pace
	Now  func() time.Time
	Log  *slog.Logger
}

// SessionCheck checks whether a caller's session or token is still valid. If not, its error
// has code core.CodeUnauthenticated or core.CodeTokenExpired.
type SessionCheck func(ctx context.Context, by core.Actor) error

// Present returns a project as clients see it.
type Present func(core.Project) projects.View

// Times of rooms.
const (
	// lookEvery is how often a room checks its members' access. Loss of access ends a
	// connection within 10 seconds.
	lookEvery = 5 * time.Second
	// restAfter is the time without a change after which a document releases memory: in
	// most open rooms nobody types.
	restAfter = 30 * time.Second
)

// Service is the rooms that are open in this process. A room opens with its first
// member and closes after its last.
type Service struct {
	deps   Deps
	claims *claims
	life   context.Context
	end    context.CancelFunc
	tasks  sync.WaitGroup

	mu     sync.Mutex
	closed bool
	rooms  map[core.ID]*room
}

// New returns a service without rooms. It must be closed before the process ends.
func New(deps Deps) *Service {
	life, end := context.WithCancel(context.Background())
	s := &Service{
		deps: deps, life: life, end: end, rooms: map[core.ID]*room{},
		claims: &claims{owner: deps.Unsaved.Owner(), store: deps.Store, exclusive: deps.Exclusive, now: deps.Now, log: deps.Log},
	}
	s.tasks.Go(func() { s.claims.keep(life, s.shared) })
	return s
}

// Count returns how many rooms are open in this process, and how many connections there
// are into them.
func (s *Service) Count() (rooms, members int) {
	s.mu.Lock()
	open := slices.Collect(maps.Values(s.rooms))
	s.mu.Unlock()
	for _, r := range open {
		members += r.state.lock().members.count()
		r.state.unlock()
	}
	return len(open), members
}

// Join lets the caller into a project's room. It requires core.ActionFileRead; further
// rights are checked with each action. The errors are those of access.Gate.Project,
// core.CodeUnavailable if another process has claimed the room or this one is closing,
// ErrManyConnections and ErrFull.
func (s *Service) Join(ctx context.Context, by core.Actor, project core.ID, way Protocol) (*Member, error) {
	may, err := rightsOf(ctx, s.deps.Gate, by, project)
	if err != nil {
		return nil, err
	}
	user, err := s.deps.Store.Tables().Users.ByID(ctx, by.UserID)
	if err != nil {
		return nil, err
	}
	m := &Member{
		way: way, actor: by, user: personOf(user), client: uint64(rand.Uint32()), rights: may,
		arrived: ctxsync.NewSignal(), gone: make(chan struct{}),
	}
	for {
		r, err := s.room(project)
		if err != nil {
			return nil, err
		}
		err = r.admit(ctx, m)
		if !errors.Is(err, errClosed) {
			return m, err
		}
		select {
		case <-r.gone:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// room returns the project's room, and opens it if necessary.
func (s *Service) room(project core.ID) (*room, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrMoved
	}
	r := s.rooms[project]
	if r == nil {
		r = newRoom(newScope(s, project))
		s.rooms[project] = r
		s.tasks.Go(func() {
			r.live()
			s.forget(project)
			close(r.gone)
		})
	}
	return r, nil
}

func (s *Service) forget(project core.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.rooms, project)
}

// Close dismisses all members and saves all edits. It returns ctx's error if ctx ends
// first.
func (s *Service) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.end()
	return ctxsync.Wait(ctx, &s.tasks)
}

// personOf returns a user as others see it, with the same name as in the history.
func personOf(user core.User) Person {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(user.ID))
	return Person{ID: user.ID, Name: files.AuthorOf(user).Name, Color: colors[sum.Sum32()%uint32(len(colors))], AvatarURL: user.AvatarURL}
}

// colors distinguish people, on light and on dark backgrounds.
var colors = [...]string{"#d6409f", "#8e4ec6", "#5b5bd6", "#0f7fd8", "#0d8a94", "#2b8a5b", "#a06a00", "#d4511e", "#c62a52", "#7c66dc"}

// shared returns the rooms with an open document in this process.
func (s *Service) shared() map[core.ID]*room {
	s.mu.Lock()
	defer s.mu.Unlock()
	shared := map[core.ID]*room{}
	for project, r := range s.rooms {
		if r.state.isShared() {
			shared[project] = r
		}
	}
	return shared
}
