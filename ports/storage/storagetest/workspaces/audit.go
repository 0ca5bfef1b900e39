package workspaces

import (
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func auditClauses() []clause {
	return []clause{
		{"an audit entry comes back as it was stored", auditComesBack},
		{"an audit entry's id is used once", auditIDInUse},
		{"audit entries with text that no database can keep are refused together", auditText},
		{"audit entries of workspaces that are not there are left out", auditOfNothing},
		{"audit entries outlive their workspace", auditOfWorkspace},
		{"audit entries of a person are in no workspace's list", auditOfPerson},
		{"audit entries of the installation are those of no workspace and no person", auditOfInstance},
		{"audit entries may be added while their workspace goes", auditWhileWorkspaceGoes},
		{"audit entries are listed newest first and then by id", auditOrder},
		{"a page of audit entries has at most its limit", auditLimit},
		{"pages of audit entries stay the same when newer ones are added", auditPages},
		{"audit entries from before a time are pruned", auditPrune},
		{"audit entries go in and come out as copies", auditCopies},
	}
}

func (s testCase) newAudit(workspace core.ID) core.AuditEntry {
	return core.AuditEntry{
		ID: core.NewID(), WorkspaceID: workspace, Action: core.AuditSignIn,
		Actor:  &core.AuditActor{UserID: core.NewID(), Email: "ada@example.com"},
		Target: "a target", IP: "192.0.2.1", CreatedAt: s.Now(),
	}
}

// audited stores one entry.
func (s testCase) audited(workspace core.ID, at core.Time) core.AuditEntry {
	s.Helper()
	entry := s.newAudit(workspace)
	entry.CreatedAt = at
	s.Must(s.Audit.Append(s.Context(), []core.AuditEntry{entry}))
	return entry
}

func (s testCase) auditOf(workspace core.ID, page core.Page) []core.AuditEntry {
	s.Helper()
	entries, err := s.Audit.List(s.Context(), workspace, page)
	s.Must(err)
	return entries
}

func (s testCase) auditIDs(workspace core.ID) []core.ID {
	s.Helper()
	return fixture.IDsOf(s.auditOf(workspace, core.Page{Limit: 1000}), func(e core.AuditEntry) core.ID { return e.ID })
}

func auditComesBack(s testCase) {
	workspace := s.Workspace()
	named, nobody := s.newAudit(workspace.ID), s.newAudit(workspace.ID)
	named.Action, named.Target = core.AuditMemberRoleChanged, `O'Hara "\ % <b>: member → admin`
	named.Actor = &core.AuditActor{UserID: core.NewID(), Email: `ünï"\'<&>@example.com`}
	nobody.Actor, nobody.IP, nobody.Target = nil, "", ""
	s.Must(s.Audit.Append(s.Context(), []core.AuditEntry{named, nobody}))
	s.Want(s.auditOf(workspace.ID, core.Page{Limit: 10}), nil, []core.AuditEntry{nobody, named})
}

func auditIDInUse(s testCase) {
	workspace := s.Workspace()
	first, next := s.audited(workspace.ID, 10), s.newAudit(workspace.ID)
	again := s.newAudit(workspace.ID)
	again.ID = first.ID
	s.WantCode(s.Audit.Append(s.Context(), []core.AuditEntry{next, again}), core.CodeConflict)
	s.WantCode(s.Audit.Append(s.Context(), []core.AuditEntry{next, next}), core.CodeConflict)
	s.Want(s.auditOf(workspace.ID, core.Page{Limit: 10}), nil, []core.AuditEntry{first})
	again.WorkspaceID = core.NewID()
	s.Must(s.Audit.Append(s.Context(), []core.AuditEntry{again}))
}

func auditText(s testCase) {
	workspace := s.Workspace()
	for _, text := range fixture.Unstorable() {
		for name, alter := range map[string]func(*core.AuditEntry){
			"id":        func(e *core.AuditEntry) { e.ID = core.ID(text) },
			"workspace": func(e *core.AuditEntry) { e.WorkspaceID = core.ID(text) },
			"action":    func(e *core.AuditEntry) { e.Action = core.AuditAction(text) },
			"target":    func(e *core.AuditEntry) { e.Target = text },
			"ip":        func(e *core.AuditEntry) { e.IP = text },
			"email":     func(e *core.AuditEntry) { e.Actor.Email = text },
		} {
			entry := s.newAudit(workspace.ID)
			alter(&entry)
			err := s.Audit.Append(s.Context(), []core.AuditEntry{s.newAudit(workspace.ID), entry})
			if !core.IsCode(err, core.CodeValidationFailed) {
				s.Errorf("%s: got %v, want code %s", name, err, core.CodeValidationFailed)
			}
		}
		s.Want(s.auditIDs(core.ID(text)), nil, []core.ID{})
	}
	s.Want(s.auditIDs(workspace.ID), nil, []core.ID{})
}

func auditOfNothing(s testCase) {
	first, second := s.Workspace(), s.Workspace()
	a, b, lost := s.newAudit(first.ID), s.newAudit(second.ID), s.newAudit(core.NewID())
	s.Must(s.Audit.Append(s.Context(), []core.AuditEntry{lost, a, lost, b}))
	s.Want(s.auditIDs(first.ID), nil, []core.ID{a.ID})
	s.Want(s.auditIDs(second.ID), nil, []core.ID{b.ID})
	s.Want(s.auditIDs(lost.WorkspaceID), nil, []core.ID{})
	s.Must(s.Audit.Append(s.Context(), []core.AuditEntry{lost}))
	s.Must(s.Audit.Append(s.Context(), nil))
	lost.WorkspaceID = first.ID
	s.Must(s.Audit.Append(s.Context(), []core.AuditEntry{lost}))
}

func auditOfWorkspace(s testCase) {
	doomed, kept := s.Workspace(), s.Workspace()
	stays := s.audited(doomed.ID, 10)
	entry := s.audited(kept.ID, 10)
	s.Must(s.Workspaces.Delete(s.Context(), doomed.ID))
	s.Want(s.auditIDs(doomed.ID), nil, []core.ID{stays.ID})
	s.Want(s.auditIDs(kept.ID), nil, []core.ID{entry.ID})
}

func auditOfPerson(s testCase) {
	workspace, person := s.Workspace(), s.User()
	ofSpace := s.audited(workspace.ID, s.Now())
	first, second := s.newAudit(""), s.newAudit("")
	first.PersonID, second.PersonID = person.ID, person.ID
	s.Must(s.Audit.Append(s.Context(), []core.AuditEntry{first, second}))
	got, err := s.Audit.OfPerson(s.Context(), person.ID, core.Page{Limit: 10})
	s.Want(got, err, []core.AuditEntry{second, first})
	got, err = s.Audit.OfPerson(s.Context(), person.ID, core.Page{Limit: 1, Before: &core.Position{CreatedAt: second.CreatedAt, ID: second.ID}})
	s.Want(got, err, []core.AuditEntry{first})
	s.Want(s.auditIDs(workspace.ID), nil, []core.ID{ofSpace.ID})
	for _, nobody := range []core.ID{"", s.User().ID, core.ID(fixture.Unstorable()[0])} {
		got, err = s.Audit.OfPerson(s.Context(), nobody, core.Page{Limit: 10})
		s.Want(len(got), err, 0)
	}
	s.Want(s.auditIDs(""), nil, []core.ID{})
}

func auditWhileWorkspaceGoes(s testCase) {
	for range 5 {
		doomed, kept := s.Workspace(), s.Workspace()
		var entries [7][]core.AuditEntry
		for i := range entries {
			entries[i] = []core.AuditEntry{s.newAudit(doomed.ID), s.newAudit(kept.ID)}
		}
		fixture.Together(len(entries)+1, func(i int) {
			var err error
			switch {
			case i == 3:
				err = s.Workspaces.Delete(s.Context(), doomed.ID)
			case i < 3:
				err = s.Audit.Append(s.Context(), entries[i])
			default:
				err = s.Store.InTx(s.Context(), fixture.InTx(func(in fixture.Tx) error { return in.Audit.Append(in.Ctx, entries[i-1]) }))
			}
			if err != nil {
				s.Errorf("got %v, want nil", err)
			}
		})
		s.Want(len(s.auditIDs(kept.ID)), nil, len(entries))
	}
}

func auditOrder(s testCase) {
	workspace := s.Workspace()
	var want []core.AuditEntry
	for _, at := range []core.Time{30, 10, 20, 20, 40, 20} {
		want = append(want, s.audited(workspace.ID, at))
	}
	s.audited(s.Workspace().ID, 25)
	slices.SortFunc(want, auditNewestFirst)
	s.Want(s.auditOf(workspace.ID, core.Page{Limit: 10}), nil, want)
}

func auditNewestFirst(a, b core.AuditEntry) int {
	if a.CreatedAt != b.CreatedAt {
		return int(b.CreatedAt - a.CreatedAt)
	}
	return strings.Compare(string(b.ID), string(a.ID))
}

func auditLimit(s testCase) {
	workspace := s.Workspace()
	for range 3 {
		s.audited(workspace.ID, 10)
	}
	for limit, want := range map[int]int{-1: 0, 0: 0, 1: 1, 3: 3, 4: 3} {
		if got := s.auditOf(workspace.ID, core.Page{Limit: limit}); len(got) != want {
			s.Errorf("limit %d: got %d entries, want %d", limit, len(got), want)
		}
	}
}

func auditPages(s testCase) {
	workspace := s.Workspace()
	var all []core.AuditEntry
	for i := range 25 {
		all = append(all, s.audited(workspace.ID, core.Time(100+i/4)))
	}
	slices.SortFunc(all, auditNewestFirst)
	var seen []core.AuditEntry
	page := core.Page{Limit: 4}
	for len(seen) <= len(all) {
		entries := s.auditOf(workspace.ID, page)
		if len(entries) == 0 {
			break
		}
		seen = append(seen, entries...)
		last := entries[len(entries)-1]
		page.Before = &core.Position{CreatedAt: last.CreatedAt, ID: last.ID}
		again := s.auditOf(workspace.ID, page)
		s.audited(workspace.ID, s.Now())
		s.Want(s.auditOf(workspace.ID, page), nil, again)
	}
	s.Want(seen, nil, all)
}

func auditPrune(s testCase) {
	workspace, other := s.Workspace(), s.Workspace()
	s.audited(workspace.ID, 10)
	s.audited(other.ID, 19)
	at, after := s.audited(workspace.ID, 20), s.audited(other.ID, 21)
	for range 2 {
		s.Must(s.Audit.Prune(s.Context(), 20))
		s.Want(s.auditIDs(workspace.ID), nil, []core.ID{at.ID})
		s.Want(s.auditIDs(other.ID), nil, []core.ID{after.ID})
	}
}

func auditCopies(s testCase) {
	workspace := s.Workspace()
	entry := s.audited(workspace.ID, 10)
	entry.Actor.Email = "x"
	for range 2 {
		got := s.auditOf(workspace.ID, core.Page{Limit: 1})
		s.Want(got[0].Actor.Email, nil, "ada@example.com")
		got[0].Actor.Email = "y"
	}
}

func auditOfInstance(s testCase) {
	of, mine, space := s.newAudit(""), s.newAudit(""), s.newAudit(s.Workspace().ID)
	mine.PersonID = core.NewID()
	s.Must(s.Audit.Append(s.Context(), []core.AuditEntry{of, mine, space}))
	got, err := s.Audit.OfInstance(s.Context(), core.Page{Limit: 1000})
	s.Must(err)
	ids := fixture.IDsOf(got, func(e core.AuditEntry) core.ID { return e.ID })
	if !slices.Contains(ids, of.ID) || slices.Contains(ids, mine.ID) || slices.Contains(ids, space.ID) {
		s.Errorf("got %v, want %s and neither %s nor %s", ids, of.ID, mine.ID, space.ID)
	}
	before := &core.Position{CreatedAt: of.CreatedAt, ID: of.ID}
	if got, err := s.Audit.OfInstance(s.Context(), core.Page{Limit: 1000, Before: before}); err != nil || slices.ContainsFunc(got, func(e core.AuditEntry) bool { return e.ID == of.ID }) {
		s.Errorf("got %v, %v behind it, want a page without it", got, err)
	}
}
