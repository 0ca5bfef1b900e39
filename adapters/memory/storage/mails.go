package storage

import (
	"cmp"
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type mails struct{ records records[core.MailJob] }

func mailsOf(session conn) records[core.MailJob] {
	return records[core.MailJob]{
		session: session,
		noun:    "mail",
		table:   func(s *database) *table[core.ID, core.MailJob] { return &s.mails },
		id:      func(job core.MailJob) core.ID { return job.ID },
		copy: func(job core.MailJob) core.MailJob {
			job.Sealed = slices.Clone(job.Sealed)
			return job
		},
		check: func(*database, core.MailJob) error { return nil },
	}
}

// Create implements storage.Mails.
func (m mails) Create(ctx context.Context, job core.MailJob) error {
	return m.records.create(ctx, job)
}

// Claim implements storage.Mails.
func (m mails) Claim(ctx context.Context, now, until core.Time) (core.MailJob, error) {
	due := func(job core.MailJob) (core.Time, bool) { return job.DueAt, true }
	return m.records.claimDue(ctx, now, due, func(job *core.MailJob) {
		job.DueAt = until
		job.Attempts++
	})
}

// Postpone implements storage.Mails.
func (m mails) Postpone(ctx context.Context, id core.ID, due core.Time) error {
	return m.records.session.change(ctx, func(state *database) error {
		job, err := m.records.in(state, id)
		if err != nil {
			return err
		}
		job.DueAt = due
		return m.records.put(state, job)
	})
}

// Delete implements storage.Mails.
func (m mails) Delete(ctx context.Context, id core.ID) error {
	return m.records.session.change(ctx, func(state *database) error {
		delete(state.mails.edit(state), id)
		return nil
	})
}

// mailCountKey is the key of a count.
type mailCountKey struct{ subject, day string }

// Count implements storage.Mails.
func (m mails) Count(ctx context.Context, subject, day string) (count int, err error) {
	if !storage.Storable(subject) || !storage.Storable(day) {
		return 0, core.Errorf(core.CodeValidationFailed, "text with characters that cannot be stored")
	}
	err = m.records.session.change(ctx, func(state *database) error {
		key := mailCountKey{subject, day}
		count = state.mailCounts.rows[key] + 1
		state.mailCounts.edit(state)[key] = count
		return nil
	})
	return count, err
}

// Counted implements storage.Mails.
func (m mails) Counted(ctx context.Context, subject, day string) (count int, err error) {
	if !storage.Storable(subject) || !storage.Storable(day) {
		return 0, core.Errorf(core.CodeValidationFailed, "text with characters that cannot be stored")
	}
	state, err := m.records.session.view(ctx)
	if err != nil {
		return 0, err
	}
	return state.mailCounts.rows[mailCountKey{subject, day}], nil
}

// Prune implements storage.Mails.
func (m mails) Prune(ctx context.Context, day string) error {
	return m.records.session.change(ctx, func(state *database) error {
		for key := range state.mailCounts.rows {
			if key.day < day {
				delete(state.mailCounts.edit(state), key)
			}
		}
		return nil
	})
}

type testMails struct{ session conn }

// Add implements storage.TestMails.
func (m testMails) Add(ctx context.Context, mail core.TestMail) error {
	if err := storage.CheckText(mail); err != nil {
		return err
	}
	return m.session.change(ctx, func(state *database) error {
		if !state.projects.has(mail.ProjectID) {
			return core.NotFound("project")
		}
		if state.testMails.has(mail.ID) {
			return core.Errorf(core.CodeConflict, "the mail exists already")
		}
		state.testMails.edit(state)[mail.ID] = mail
		for i, old := range state.mailsOf(mail.ProjectID) {
			if i >= core.MaxTestMails {
				delete(state.testMails.edit(state), old.ID)
			}
		}
		return nil
	})
}

// List implements storage.TestMails.
func (m testMails) List(ctx context.Context, project core.ID) ([]core.TestMail, error) {
	state, err := m.session.view(ctx)
	if err != nil {
		return nil, err
	}
	return state.mailsOf(project), nil
}

// mailsOf returns a project's mails, the newest first.
func (s *database) mailsOf(project core.ID) []core.TestMail {
	var found []core.TestMail
	for _, mail := range s.testMails.rows {
		if mail.ProjectID == project {
			found = append(found, mail)
		}
	}
	slices.SortFunc(found, func(a, b core.TestMail) int {
		return cmp.Or(cmp.Compare(b.CreatedAt, a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
	return found
}
