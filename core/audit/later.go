package audit

import (
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

const (
	// maxPending bounds the entries that wait to be written after their answer.
	maxPending = 64
	// laterTime bounds the writing of one of them.
	laterTime = 10 * time.Second
)

// RecordFailure is RecordPerson for a call that failed: the caller does not wait
// for it, because how long an answer takes would tell whether there was anything
// to record. Under a flood of failures entries are left out, which the service's
// log says.
func (l *Log) RecordFailure(ctx context.Context, by core.Actor, person core.ID, action core.AuditAction, target string) {
	select {
	case l.pending <- struct{}{}:
	default:
		l.log.WarnContext(ctx, "too many failures at a time: one is not in the audit log", "action", action, "ip", by.IP)
		return
	}
	l.writing.Go(func() {
		defer func() { <-l.pending }()
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), laterTime)
		defer cancel()
		err := l.store.InTx(bounded, func(ctx context.Context, tables storage.Tables) error {
			return l.RecordPerson(ctx, tables, by, person, action, target)
		})
		if err != nil {
			l.log.WarnContext(bounded, "a failure is not in the audit log", "action", action, "ip", by.IP, "error", err)
		}
	})
}

// Close waits for what is being written. Nothing may be recorded after it.
func (l *Log) Close() { l.writing.Wait() }
