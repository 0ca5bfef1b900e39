package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type mailRow struct {
	bun.BaseModel `bun:"table:mails,alias:ma"`
	core.MailJob
}

type mails struct{ session }

// Create implements storage.Mails.
func (m mails) Create(ctx context.Context, job core.MailJob) error {
	if err := storage.CheckText(job); err != nil {
		return err
	}
	return insert(ctx, m.session, "mail", &mailRow{MailJob: job})
}

var mailSchedule = schedule{noun: "mail", table: "mails", column: "due_at", set: ", attempts = attempts + 1"}

// Claim implements storage.Mails.
func (m mails) Claim(ctx context.Context, now, until core.Time) (core.MailJob, error) {
	var row mailRow
	err := mailSchedule.claim(ctx, m.session, &row, now, until)
	return row.MailJob, err
}

// Postpone implements storage.Mails.
func (m mails) Postpone(ctx context.Context, id core.ID, due core.Time) error {
	return m.exec(ctx, "mail", func(ctx context.Context, db bun.IDB) error {
		result, err := db.NewUpdate().Table("mails").Set("due_at = ?", due).Where("id = ?", id).Exec(ctx)
		if err != nil {
			return err
		}
		return oneRow(result, "mail")
	})
}

// Count implements storage.Mails.
func (m mails) Count(ctx context.Context, subject, day string) (count int, err error) {
	if !storage.Storable(subject) || !storage.Storable(day) {
		return 0, core.Errorf(core.CodeValidationFailed, "text with characters that cannot be stored")
	}
	err = m.exec(ctx, "mail", func(ctx context.Context, db bun.IDB) error {
		return db.NewRaw("INSERT INTO mail_counts AS c (day, subject, mails) VALUES (?, ?, 1) "+
			"ON CONFLICT (day, subject) DO UPDATE SET mails = c.mails + 1 RETURNING mails", day, subject).Scan(ctx, &count)
	})
	return count, err
}

// Counted implements storage.Mails.
func (m mails) Counted(ctx context.Context, subject, day string) (count int, err error) {
	if !storage.Storable(subject) || !storage.Storable(day) {
		return 0, core.Errorf(core.CodeValidationFailed, "text with characters that cannot be stored")
	}
	err = m.exec(ctx, "mail", func(ctx context.Context, db bun.IDB) error {
		return db.NewRaw("SELECT COALESCE(SUM(mails), 0) FROM mail_counts WHERE day = ? AND subject = ?", day, subject).Scan(ctx, &count)
	})
	return count, err
}

// Prune implements storage.Mails.
func (m mails) Prune(ctx context.Context, day string) error {
	return removeWhere(ctx, m.session, "mail_counts", "day < ?", day)
}

// Delete implements storage.Mails.
func (m mails) Delete(ctx context.Context, id core.ID) error {
	err := remove(ctx, m.session, "mail", "mails", id)
	if core.IsCode(err, core.CodeNotFound) {
		return nil
	}
	return err
}
