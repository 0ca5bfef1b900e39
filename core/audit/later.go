package audit

import (
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

const (
	// maxPending bounds the entries that are being written after their answer.
	maxPending = 64
	// laterTime bounds one such write.
	laterTime = 10 * time.Second
)

// RecordFailure is RecordPerson for a failed call. It does not wait for the write,
// because the duration of the answer would reveal whether there was anything to
// record. Under a flood of failures it drops entries and logs that.
func (l *Log) RecordFailure(ctx context.Context, by core.Actor, person core.ID, action core.AuditAction, target string) {
	select {
	case l.semaphore <- struct{}{}:
	default:
		l.deps.Log.WarnContext(ctx, "too many failures at once: one is missing from the audit log", "action", action, "ip", by.IP)
		return
	}
	l.writing.Go(func() {
		defer func() { <-l.semaphore }()
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), laterTime)
		defer cancel()
		err := l.deps.Store.InTx(bounded, func(ctx context.Context, tables storage.Tables) error {
			return l.RecordPerson(ctx, tables, by, person, action, target)
		})
		if err != nil {
			l.deps.Log.WarnContext(bounded, "could not add a failure to the audit log", "action", action, "ip", by.IP, "error", err)
		}
	})
}

// Close waits for pending writes. Nothing may be recorded after it.
func (l *Log) Close() { l.writing.Wait() }
