package pocketbase

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/tokenbucket"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/ports/backend"
)

// dataSet is the data of one place, open or closed.
type dataSet struct {
	place  backend.Place
	dir    directory
	config *Config
	places *places
	owner  *owner
	rate   *tokenbucket.Bucket

	// holders counts the users of the data set; places.mu guards it.
	holders int
	// opening is held while the data set is opened.
	opening sync.Mutex
	// rotating is true while the log of the open database is rotated. retired is true once the
	// project is no longer held.
	rotating, retired atomic.Bool

	// reopening wakes the requests that wait for the end of a switch.
	reopening *reopenSignal

	// exchanges bounds the sign-ins that wait for a provider.
	exchanges chan struct{}

	// gate is held shared by requests and calls, and exclusively by what needs the data alone.
	gate sync.RWMutex

	// mu guards the fields below.
	mu      sync.Mutex
	app     *application
	used    time.Time
	streams int
	// borrowed counts the uses without the gate: streams, downloads and dumps.
	borrowed int
	// life ends the streams of the current application.
	life context.Context
	end  context.CancelFunc
}

func newDataSet(place backend.Place, dir directory, of *places) *dataSet {
	config := of.config
	config.owner = &owner{project: place.Project}
	return &dataSet{
		place: place, dir: dir, config: &config, owner: config.owner, places: of,
		rate: tokenbucket.New(of.config.Limits.Requests), used: time.Now(), exchanges: make(chan struct{}, maxExchanges),
		reopening: newReopening(),
	}
}

// owner is whose a project is, as the last request said (fair.Tenant).
type owner struct {
	project core.ID
	noted   atomic.Value
}

// note notes the owner, if a request says who that is.
func (o *owner) note(ctx context.Context) {
	if workspace := fair.Tenant(ctx); workspace != "" && o.noted.Load() != workspace {
		o.noted.Store(workspace)
	}
}

// workspace returns the owner. A project of which nothing is known is a workspace of its own.
func (o *owner) workspace() core.ID {
	if workspace, is := o.noted.Load().(core.ID); is {
		return workspace
	}
	return o.project
}

// open returns the place's application and starts it if needed. The caller holds the gate.
func (s *dataSet) open() (*application, error) {
	if app := s.present(); app != nil {
		return app, nil
	}
	s.opening.Lock()
	defer s.opening.Unlock()
	if app := s.present(); app != nil {
		return app, nil
	}
	if s.retired.Load() {
		return nil, notHeld()
	}
	if err := s.dir.isHeld(); err != nil {
		return nil, err
	}
	if err := s.dir.exists(); err != nil {
		return nil, err
	}
	if err := s.isOpen(); err != nil {
		return nil, err
	}
	if err := s.places.admit(); err != nil {
		return nil, err
	}
	app, err := startSet(s)
	if err != nil {
		s.places.room.leave()
		return nil, core.Wrap(core.CodeUnavailable, err, "the backend could not be opened")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.app = app
	s.life, s.end = context.WithCancel(context.Background())
	return app, nil
}

// present returns the application if it is open, and records the use.
func (s *dataSet) present() *application {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = time.Now()
	return s.app
}

// errSwitching is the error of a place that is closed for a switch.
var errSwitching = core.Errorf(core.CodeConflict, "the application is being published")

// isOpen returns errSwitching if the place is closed for a switch.
func (s *dataSet) isOpen() error {
	note, err := s.dir.readSwitch()
	if err == nil && note != nil {
		err = errSwitching
	}
	return err
}

// shared calls work with the open application, concurrently with others.
func (s *dataSet) shared(work func(app *application) error) error {
	app, err := beside(s, work)
	if app == nil || app.log == nil {
		return err
	}
	if lost := keepUp(s, app); lost != nil {
		return lost
	}
	return err
}

// beside calls work under the gate and ships its transactions. It returns the application,
// if any, for keepUp, which handles failures of shipping.
func beside(s *dataSet, work func(app *application) error) (*application, error) {
	s.gate.RLock()
	defer s.gate.RUnlock()
	app, err := s.open()
	if err != nil {
		return nil, asUnavailable(err)
	}
	err = work(app)
	_ = app.ship()
	return app, err
}

// asUnavailable converts the conflict of a switch for callers that only have to wait for its end.
func asUnavailable(err error) error {
	if core.IsCode(err, core.CodeConflict) {
		return core.Wrap(core.CodeUnavailable, err, "the application is being published: try again")
	}
	return err
}

// alone calls work while no request changes anything.
func (s *dataSet) alone(work func(app *application) error) error {
	s.gate.Lock()
	defer s.gate.Unlock()
	app, err := s.open()
	if err != nil {
		return err
	}
	err = work(app)
	if s.present() != app {
		return err
	}
	if lost := app.ship(); lost != nil {
		s.cut()
		return notKept(lost)
	}
	return err
}

// whileClosed calls work while the place is closed: it has no streams and no open database.
// Afterwards a switch may have ended.
func (s *dataSet) whileClosed(work func() error) error {
	defer s.reopening.wake()
	s.gate.Lock()
	defer s.gate.Unlock()
	if err := s.stop(); err != nil {
		return err
	}
	return work()
}

// close closes the place.
func (s *dataSet) close() error {
	return s.whileClosed(func() error { return nil })
}

// closeIf closes the place if it is open, unused, and unused() holds, which is called with mu held.
func (s *dataSet) closeIf(unused func() bool) (closed bool, err error) {
	if !s.gate.TryLock() {
		return false, nil
	}
	defer s.gate.Unlock()
	s.mu.Lock()
	closed = s.app != nil && unused()
	s.mu.Unlock()
	if !closed {
		return false, nil
	}
	return true, s.stop()
}

// isLent reports whether there are uses without the gate.
func (s *dataSet) isLent() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.borrowed > 0
}

// endStreams ends the uses without the gate.
func (s *dataSet) endStreams() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end != nil {
		s.end()
		s.life, s.end = context.WithCancel(context.Background())
	}
}

// restsSince reports whether the place is closed and has not been used since a time.
func (s *dataSet) restsSince(before time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.app == nil && s.used.Before(before)
}

// cut ends the streams and drops the application, so that the next use opens the place
// again and sees its switch. The caller holds the gate exclusively.
func (s *dataSet) cut() {
	if err := s.stop(); err != nil {
		s.config.Log.Warn("could not close a backend", "project", s.place.Project, "error", err)
	}
}

// stop ends the streams and the application. The caller holds the gate exclusively.
func (s *dataSet) stop() error {
	s.mu.Lock()
	app, end := s.app, s.end
	s.app, s.life, s.end = nil, nil, nil
	s.mu.Unlock()
	if app == nil {
		return nil
	}
	defer s.places.room.leave()
	end()
	app.streams.Wait()
	return app.stop()
}
