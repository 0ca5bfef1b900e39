package backups

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/core/worker"
	"github.com/atelierhq/atelier/ports/storage"
)

// Bounds of the service.
const (
	// poll is how often it looks whether a backup is due.
	poll = time.Minute
	// sign is how often a backup that goes on shows it, well within what core.BackupRun allows.
	sign = 30 * time.Second
	// retryAfter is how soon a failed backup is tried again.
	retryAfter = time.Hour
	// settleTime bounds storing how a backup ended.
	settleTime = 10 * time.Second
)

// Settings say what backups an installation makes.
type Settings struct {
	// Schedule says when; nil is only when an admin asks.
	Schedule *core.Cron
	// Target is where they go, for people; "" is nowhere.
	Target string
	// Encrypted says that they are.
	Encrypted bool
}

// Deps has the dependencies of a Service.
type Deps struct {
	Vault    *Vault
	Settings Settings
	Store    storage.Store
	Gate     *access.Gate
	Audit    *audit.Log
	Now      func() time.Time
	Log      *slog.Logger
}

// Service makes backups while the service runs. Several processes may each have one over the same
// database: one of them makes each backup. It is started once, and closed before the store.
type Service struct {
	Deps
	wake    ctxsync.Signal
	stopped context.Context
	stop    context.CancelFunc
	tasks   sync.WaitGroup
}

// New returns the service, which has not started.
func New(deps Deps) *Service {
	s := &Service{Deps: deps, wake: ctxsync.NewSignal()}
	s.stopped, s.stop = context.WithCancel(context.Background())
	return s
}

// Start makes backups when they are due, until Close. The first is due at once, so that it is known
// early whether they work.
func (s *Service) Start() {
	if !s.Vault.On() || s.Settings.Schedule == nil {
		return
	}
	s.tasks.Go(func() { worker.Loop{Claim: s.claimDue, Wake: s.wake, Poll: poll, Concurrency: 1}.Run(s.stopped) })
}

// Close stops a backup that is being made, and waits until that is stored. It returns ctx's error if ctx
// ends first.
func (s *Service) Close(ctx context.Context) error {
	s.stop()
	return ctxsync.Wait(ctx, &s.tasks)
}

// Overview shows backups to admins.
type Overview struct {
	// Target is where backups go, "" if they are off. Scheduled says that the service makes them by
	// itself, at NextAt.
	Target    string     `json:"target"`
	Encrypted bool       `json:"encrypted"`
	Scheduled bool       `json:"scheduled"`
	NextAt    *core.Time `json:"nextAt"`
	Keep      int        `json:"keep"`
	// Last is the latest try; nil before the first.
	Last  *LastRun      `json:"last"`
	Items []core.Backup `json:"items"`
}

// LastRun is a try to make a backup. EndedAt is nil while it goes on. Failure is in FailureLanguage.
type LastRun struct {
	StartedAt       core.Time     `json:"startedAt"`
	EndedAt         *core.Time    `json:"endedAt"`
	Name            string        `json:"name"`
	Failure         string        `json:"failure"`
	FailureLanguage core.Language `json:"failureLanguage"`
}

// errInterrupted is why a backup failed whose process ended.
var errInterrupted = core.Errorf(core.CodeUnavailable, "the service was stopped while it made the backup")

func (s *Service) lastRun(run core.BackupRun) *LastRun {
	if run.StartedAt == 0 {
		return nil
	}
	last := &LastRun{StartedAt: run.StartedAt, Name: run.Name, Failure: run.Failure, FailureLanguage: core.LanguageEnglish}
	switch {
	case run.EndedAt != 0:
		last.EndedAt = &run.EndedAt
	case !run.Active(core.At(s.Now())):
		last.EndedAt, last.Failure = &run.SeenAt, errInterrupted.Message
	}
	return last
}

// List returns the backups to an admin, the latest first. It returns core.CodeUnavailable if the storage
// cannot be read.
func (s *Service) List(ctx context.Context, by core.Actor) (Overview, error) {
	if _, err := s.Gate.Instance(ctx, by, core.ActionInstanceBackups); err != nil {
		return Overview{}, err
	}
	seen := Overview{Target: s.Settings.Target, Encrypted: s.Settings.Encrypted, Keep: s.Vault.Keep, Items: []core.Backup{}}
	if !s.Vault.On() {
		return seen, nil
	}
	run, err := s.Store.Tables().LastBackup.Get(ctx)
	if err != nil {
		return Overview{}, err
	}
	seen.Last = s.lastRun(run)
	if s.Settings.Schedule != nil {
		next := core.At(s.dueAfter(run))
		seen.Scheduled, seen.NextAt = true, &next
	}
	seen.Items, err = s.Vault.List(ctx)
	return seen, err
}

// Begin begins a backup for an admin, and returns while it goes on. It returns core.CodeConflict if one goes on
// already, and if backups have no place.
func (s *Service) Begin(ctx context.Context, by core.Actor) (LastRun, error) {
	if _, err := s.Gate.Instance(ctx, by, core.ActionInstanceBackups); err != nil {
		return LastRun{}, err
	}
	if !s.Vault.On() {
		return LastRun{}, core.Errorf(core.CodeConflict, "set BACKUP_TARGET in the environment of the service to make backups")
	}
	var run core.BackupRun
	err := s.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) (err error) {
		run, err = s.begin(ctx, tables, func(core.BackupRun) bool { return true })
		if err != nil {
			return err
		}
		return s.Audit.RecordInstance(ctx, tables, by, core.AuditBackupAsked, "")
	})
	if err != nil {
		return LastRun{}, err
	}
	s.tasks.Go(func() { s.carryOut(run) })
	return *s.lastRun(run), nil
}

// errNotDue leaves the record as it is.
var errNotDue = errors.New("no backup is due")

// begin marks that a backup begins, unless one goes on or it is not due.
func (s *Service) begin(ctx context.Context, tables storage.Tables, due func(core.BackupRun) bool) (core.BackupRun, error) {
	now := core.At(s.Now())
	return tables.LastBackup.Update(ctx, func(run *core.BackupRun) error {
		if run.Active(now) {
			return core.Errorf(core.CodeConflict, "a backup is being made already")
		}
		if !due(*run) {
			return errNotDue
		}
		*run = core.BackupRun{StartedAt: now, SeenAt: now}
		return nil
	})
}

// dueAfter returns when the backup after a run is due.
func (s *Service) dueAfter(run core.BackupRun) time.Time {
	if run.StartedAt == 0 {
		return s.Now()
	}
	next := s.Settings.Schedule.Next(run.StartedAt.Std())
	if retry := max(run.EndedAt, run.SeenAt).Add(retryAfter).Std(); run.Name == "" && !run.Active(core.At(s.Now())) && retry.Before(next) {
		return retry
	}
	return next
}

// claimDue begins a backup that is due.
func (s *Service) claimDue(ctx context.Context) (work func()) {
	run, err := s.begin(ctx, s.Store.Tables(), func(run core.BackupRun) bool { return !s.dueAfter(run).After(s.Now()) })
	switch {
	case errors.Is(err, errNotDue) || core.IsCode(err, core.CodeConflict) || ctx.Err() != nil:
		return nil
	case err != nil:
		s.Log.Warn("could not look whether a backup is due", "error", err)
		return nil
	}
	return func() { s.carryOut(run) }
}

// carryOut makes the backup that run began, and stores how it ended.
func (s *Service) carryOut(run core.BackupRun) {
	making, cancel := context.WithCancel(s.stopped)
	var signs sync.WaitGroup
	signs.Go(func() { s.showLife(making, run) })
	made, err := s.Vault.Make(making)
	cancel()
	signs.Wait()
	if s.stopped.Err() != nil && err != nil {
		err = errInterrupted
	}
	ctx, done := context.WithTimeout(context.Background(), settleTime)
	defer done()
	if err := s.settle(ctx, run, made, err); err != nil {
		s.Log.Error("could not store how a backup ended", "error", err)
	}
}

// showLife says that a backup goes on, until ctx ends.
func (s *Service) showLife(ctx context.Context, run core.BackupRun) {
	ticker := time.NewTicker(sign)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		_, err := s.Store.Tables().LastBackup.Update(ctx, func(last *core.BackupRun) error {
			if last.StartedAt != run.StartedAt {
				return errNotDue
			}
			last.SeenAt = core.At(s.Now())
			return nil
		})
		if err != nil && ctx.Err() == nil {
			s.Log.Warn("could not say that a backup goes on", "error", err)
		}
	}
}

// settle stores how a backup ended, and writes it to the log of the installation.
func (s *Service) settle(ctx context.Context, run core.BackupRun, made core.Backup, failed error) error {
	action, target := core.AuditBackupMade, made.Name
	if failed != nil {
		action, target = core.AuditBackupFailed, reason(failed)
		s.Log.Error("a backup failed", "error", failed)
	} else {
		s.Log.Info("made a backup", "name", made.Name, "bytes", made.Bytes)
	}
	return s.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		_, err := tables.LastBackup.Update(ctx, func(last *core.BackupRun) error {
			if last.StartedAt != run.StartedAt {
				return nil // another began since this one counted as dead
			}
			now := core.At(s.Now())
			last.EndedAt, last.SeenAt, last.Name, last.Failure = now, now, made.Name, ""
			if failed != nil {
				last.Name, last.Failure = "", target
			}
			return nil
		})
		if err != nil {
			return err
		}
		return s.Audit.RecordInstance(ctx, tables, core.Actor{}, action, target)
	})
}

// reason says why a backup failed, for admins. What has no code is for the log alone.
func reason(err error) string {
	var known *core.Error
	if errors.As(err, &known) {
		return known.Message
	}
	return core.Phrasef("the service could not make the backup; its log says why").String()
}

// Report says for the console how old the latest backup is. It returns core.CodeUnavailable for what an admin must
// look at: a failure, or none for more than a schedule's time and a day.
func (s *Service) Report(ctx context.Context) (core.Phrase, error) {
	if !s.Vault.On() {
		return core.Phrasef("off: BACKUP_TARGET is not set"), nil
	}
	run, err := s.Store.Tables().LastBackup.Get(ctx)
	if err != nil {
		return core.Phrase{}, err
	}
	last := s.lastRun(run)
	switch {
	case last == nil:
		return core.Phrasef("none yet"), nil
	case last.Failure != "":
		return core.Phrase{}, core.Errorf(core.CodeUnavailable, "the latest failed at %s: %s", last.EndedAt, core.PhraseOf(last.Failure))
	case last.EndedAt == nil:
		return core.Phrasef("one is being made since %s", last.StartedAt), nil
	case s.Settings.Schedule != nil && s.Now().After(s.dueAfter(run).Add(24*time.Hour)):
		return core.Phrase{}, core.Errorf(core.CodeUnavailable, "the latest is of %s, and none was made since", last.StartedAt)
	}
	return core.Phrasef("the latest is of %s, and was verified", last.StartedAt), nil
}
