package backups_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/backups"
	"github.com/atelierhq/atelier/ports/storage"
)

// plant is an installation with an admin. Each process of it has a service over one store.
type plant struct {
	*yard
	t     *testing.T
	store storage.Store
	admin core.Actor
	gate  *access.Gate
	audit *audit.Log
	// schedule is that of processes.
	schedule string
}

// play runs a test in a bubble, at 2000-01-01 00:00 UTC.
func play(t *testing.T, test func(t *testing.T, p *plant)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := &plant{yard: newYard(), t: t, store: memory.NewStore(), schedule: "0 3 * * *"}
		p.vault.Now = time.Now
		admin := core.User{ID: core.NewID(), Email: "admin@example.com", Admin: true}
		if err := p.store.Tables().Users.Create(t.Context(), admin); err != nil {
			t.Fatal(err)
		}
		p.admin, p.gate = core.Actor{UserID: admin.ID}, access.NewGate(p.store)
		p.audit = audit.New(audit.Deps{Store: p.store, Gate: p.gate, Now: time.Now, Log: discard()})
		defer p.audit.Close()
		test(t, p)
	})
}

func (p *plant) process() *backups.Service {
	p.t.Helper()
	schedule, err := core.ParseCron(p.schedule)
	if err != nil {
		p.t.Fatal(err)
	}
	return backups.New(backups.Deps{
		Vault: p.vault, Settings: backups.Settings{Schedule: &schedule, Target: "/backups"}, Store: p.store, Gate: p.gate, Audit: p.audit, Now: time.Now, Log: discard(),
	})
}

func (p *plant) close(services ...*backups.Service) {
	p.t.Helper()
	for _, service := range services {
		if err := service.Close(p.t.Context()); err != nil {
			p.t.Error(err)
		}
	}
}

func (p *plant) list(service *backups.Service) backups.Overview {
	p.t.Helper()
	seen, err := service.List(p.t.Context(), p.admin)
	if err != nil {
		p.t.Fatal(err)
	}
	return seen
}

func TestSeveralProcessesMakeEachBackupOnce(t *testing.T) {
	play(t, func(t *testing.T, p *plant) {
		p.vault.Keep = 10
		first, second := p.process(), p.process()
		first.Start()
		second.Start()
		time.Sleep(time.Second)
		if seen := p.list(first); len(seen.Items) != 1 || seen.Last == nil || seen.Last.Name != seen.Items[0].Name {
			t.Errorf("at the start: got %+v, want one backup", seen)
		}
		time.Sleep(3 * 24 * time.Hour)
		p.close(first, second)
		seen := p.list(first)
		if len(seen.Items) != 4 || !strings.HasPrefix(seen.Items[0].Name, "atelier-2000-01-03T030") {
			t.Errorf("three days later: got %+v, want one each night at 3:00", seen.Items)
		}
		if text, err := first.Report(t.Context()); err != nil || !strings.Contains(text.String(), "was verified") {
			t.Errorf("got %q, %v, want the latest told", text, err)
		}
		time.Sleep(3 * 24 * time.Hour)
		if text, err := first.Report(t.Context()); !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("when none is made: got %q, %v, want code %s", text, err, core.CodeUnavailable)
		}
	})
}

func TestAFailureIsToldAndTriedAgainSoon(t *testing.T) {
	play(t, func(t *testing.T, p *plant) {
		p.archive.writing.Store(&core.Error{Code: core.CodeUnavailable, Message: "the disk is full"})
		service := p.process()
		service.Start()
		time.Sleep(time.Second)
		if seen := p.list(service); len(seen.Items) != 0 || seen.Last.Failure != "the disk is full" || seen.Last.EndedAt == nil {
			t.Errorf("got %+v, want the failure", seen)
		}
		if _, err := service.Report(t.Context()); err == nil || !strings.Contains(err.Error(), "the disk is full") {
			t.Errorf("got %v, want the failure reported", err)
		}
		p.archive.writing.Store(nil)
		time.Sleep(time.Hour + 2*time.Minute)
		p.close(service)
		if seen := p.list(service); len(seen.Items) != 1 || seen.Last.Failure != "" {
			t.Errorf("an hour later: got %+v, want a backup", seen)
		}
		entries, err := p.audit.Instance(t.Context(), p.admin, core.Page{Limit: 10})
		if err != nil || len(entries) != 2 || entries[1].Action != core.AuditBackupFailed || entries[0].Action != core.AuditBackupMade {
			t.Errorf("got %+v, %v, want both in the log", entries, err)
		}
	})
}

func TestAnAdminBeginsOneAtATime(t *testing.T) {
	play(t, func(t *testing.T, p *plant) {
		hold := make(chan struct{})
		p.archive.wait = func(ctx context.Context) {
			select {
			case <-hold:
			case <-ctx.Done():
			}
		}
		service, other := p.process(), p.process()
		if run, err := service.Begin(t.Context(), p.admin); err != nil || run.EndedAt != nil {
			t.Fatalf("got %+v, %v, want one begun", run, err)
		}
		// It shows life for longer than a silent one would count.
		time.Sleep(10 * time.Minute)
		if _, err := other.Begin(t.Context(), p.admin); !core.IsCode(err, core.CodeConflict) {
			t.Errorf("got %v, want code %s while it goes on", err, core.CodeConflict)
		}
		close(hold)
		time.Sleep(time.Second)
		p.close(service)
		if seen := p.list(other); len(seen.Items) != 1 || seen.Last.EndedAt == nil {
			t.Errorf("got %+v, want it done", seen)
		}
		if _, err := other.Begin(t.Context(), core.Actor{UserID: core.NewID()}); !core.IsCode(err, core.CodeForbidden) && !core.IsCode(err, core.CodeUnauthenticated) && !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("a stranger: got %v, want it refused", err)
		}
	})
}

func TestAStoppedServiceLeavesNoHalfBackup(t *testing.T) {
	play(t, func(t *testing.T, p *plant) {
		p.archive.wait = func(ctx context.Context) { <-ctx.Done() }
		service := p.process()
		service.Start()
		time.Sleep(time.Second)
		p.close(service)
		if seen := p.list(service); len(seen.Items) != 0 || !strings.Contains(seen.Last.Failure, "was stopped") {
			t.Errorf("got %+v, want the interruption told", seen)
		}
		// A process that died stored nothing.
		_, err := p.store.Tables().LastBackup.Update(t.Context(), func(run *core.BackupRun) error {
			now := core.At(time.Now())
			*run = core.BackupRun{StartedAt: now, SeenAt: now}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Minute)
		if seen := p.list(service); seen.Last.EndedAt == nil || seen.Last.Failure == "" {
			t.Errorf("got %+v, want the dead one told", seen.Last)
		}
	})
}

func TestWithoutAPlaceBackupsAreOff(t *testing.T) {
	play(t, func(t *testing.T, p *plant) {
		p.vault.Objects = nil
		service := p.process()
		service.Start()
		if _, err := service.Begin(t.Context(), p.admin); !core.IsCode(err, core.CodeConflict) {
			t.Errorf("got %v, want code %s", err, core.CodeConflict)
		}
		if seen := p.list(service); seen.Scheduled || seen.Last != nil {
			t.Errorf("got %+v, want nothing", seen)
		}
		if text, err := service.Report(t.Context()); err != nil || !strings.Contains(text.String(), "BACKUP_TARGET") {
			t.Errorf("got %q, %v, want what to set", text, err)
		}
		p.close(service)
	})
}
