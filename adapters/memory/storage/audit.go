package storage

import (
	"cmp"
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type audit struct{ records records[core.AuditEntry] }

func auditOf(session conn) records[core.AuditEntry] {
	return records[core.AuditEntry]{
		session: session,
		noun:    "audit entry",
		table:   func(s *database) *table[core.ID, core.AuditEntry] { return &s.audit },
		id:      func(e core.AuditEntry) core.ID { return e.ID },
		copy: func(e core.AuditEntry) core.AuditEntry {
			e.Actor = copyOf(e.Actor)
			return e
		},
		check: func(*database, core.AuditEntry) error { return nil },
	}
}

// Append implements storage.Audit.
func (a audit) Append(ctx context.Context, entries []core.AuditEntry) error {
	for _, entry := range entries {
		if err := storage.CheckText(entry); err != nil {
			return err
		}
	}
	return a.records.session.change(ctx, func(state *database) error {
		added := map[core.ID]core.AuditEntry{}
		for _, entry := range entries {
			if entry.WorkspaceID != "" && !state.workspaces.has(entry.WorkspaceID) {
				continue
			}
			if _, twice := added[entry.ID]; twice || state.audit.has(entry.ID) {
				return core.Errorf(core.CodeConflict, "this audit entry already exists")
			}
			added[entry.ID] = entry
		}
		for _, entry := range added {
			if err := a.records.put(state, entry); err != nil {
				return err
			}
		}
		return nil
	})
}

// List implements storage.Audit.
func (a audit) List(ctx context.Context, workspace core.ID, page core.Page) ([]core.AuditEntry, error) {
	return a.page(ctx, page, func(entry core.AuditEntry) bool { return workspace != "" && entry.WorkspaceID == workspace })
}

// OfPerson implements storage.Audit.
func (a audit) OfPerson(ctx context.Context, person core.ID, page core.Page) ([]core.AuditEntry, error) {
	return a.page(ctx, page, func(entry core.AuditEntry) bool { return person != "" && entry.PersonID == person })
}

// OfInstance implements storage.Audit.
func (a audit) OfInstance(ctx context.Context, page core.Page) ([]core.AuditEntry, error) {
	return a.page(ctx, page, func(entry core.AuditEntry) bool { return entry.WorkspaceID == "" && entry.PersonID == "" })
}

func (a audit) page(ctx context.Context, page core.Page, match func(core.AuditEntry) bool) ([]core.AuditEntry, error) {
	found, err := a.records.list(ctx, func(entry core.AuditEntry) bool {
		return match(entry) && isBehind(entry.CreatedAt, entry.ID, page.Before)
	}, func(x, y core.AuditEntry) int {
		return cmp.Or(cmp.Compare(y.CreatedAt, x.CreatedAt), cmp.Compare(y.ID, x.ID))
	})
	return found[:min(len(found), max(0, page.Limit))], err
}

// Prune implements storage.Audit.
func (a audit) Prune(ctx context.Context, before core.Time) error {
	return a.records.session.change(ctx, func(state *database) error {
		state.audit.drop(state, func(entry core.AuditEntry) bool { return entry.CreatedAt < before })
		return nil
	})
}
