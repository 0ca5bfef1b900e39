package projects

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func domainClauses() []clause {
	return []clause{
		{"a domain comes back as it was stored", domainComesBack},
		{"a domain that is not there is not found", domainNotFound},
		{"a project claims a name once, and other projects may too", domainOncePerProject},
		{"of all claims of a name one is active", domainOneHolder},
		{"a project has any number of active claims", domainSeveralActive},
		{"of parallel claims of a name one becomes active", domainsInParallel},
		{"domains are listed by age", domainsByAge},
		{"an update keeps what cannot change", domainUpdate},
		{"a name is free when its claim is gone or no longer active", domainFreed},
		{"the domain that is due for longest is claimed first", domainDue},
		{"no two callers claim the same domain", domainsClaimed},
		{"domains go with their project", domainsOfProject},
		{"domains go in and come out as copies", domainCopies},
		{"a transaction goes on after a name was taken", domainTakenInTx},
		{"no call on domains outlives its context", domainsEnded},
	}
}

func (s testCase) newDomain(project core.ID, name string) core.Domain {
	at := s.Now()
	return core.Domain{
		ID: core.NewID(), ProjectID: project, Name: name, Status: core.DomainPendingDNS, Message: "add records",
		CreatedAt: at, Token: string(core.NewID()), CheckAt: at,
	}
}

func (s testCase) domain(project core.ID, name string) core.Domain {
	s.Helper()
	domain := s.newDomain(project, name)
	s.Must(s.Domains.Create(s.Context(), domain))
	return domain
}

func (s testCase) activate(id core.ID) error {
	_, err := s.Domains.Update(s.Context(), id, func(d *core.Domain) error {
		d.Status = core.DomainActive
		return nil
	})
	return err
}

func domainComesBack(s testCase) {
	project := s.Project(s.Workspace().ID)
	plain, full := s.newDomain(project.ID, "a.example.com"), s.newDomain(project.ID, "b.example.com")
	full.Status, full.Message, full.Attempts = core.DomainActive, "it's \"odd\" \\ ?", 7
	full.Checks = &core.DomainChecks{Pointing: core.DomainCheckMissing, Proof: core.DomainCheckPresent, LeadsTo: []string{"192.0.2.1", "2001:db8::1"}, Addresses: []string{}}
	full.CheckedAt, full.VerifiedAt, full.FailingSince = new(s.Now()), new(s.Now()), new(s.Now())
	for _, domain := range []core.Domain{plain, full} {
		s.Must(s.Domains.Create(s.Context(), domain))
		got, err := s.Domains.ByID(s.Context(), domain.ID)
		s.Want(got, err, domain)
	}
	got, err := s.Domains.Active(s.Context(), full.Name)
	s.Want(got, err, full)
	for _, text := range fixture.Unstorable() {
		s.WantCode(s.Domains.Create(s.Context(), s.newDomain(project.ID, text)), core.CodeValidationFailed)
	}
	s.WantCode(s.Domains.Create(s.Context(), s.newDomain(core.NewID(), "c.example.com")), core.CodeNotFound)
	s.WantCode(s.Domains.Create(s.Context(), plain), core.CodeConflict)
}

func domainNotFound(s testCase) {
	pending := s.domain(s.Project(s.Workspace().ID).ID, "a.example.com")
	for _, text := range append(fixture.Unstorable(), string(core.NewID()), "") {
		_, err := s.Domains.ByID(s.Context(), core.ID(text))
		s.WantCode(err, core.CodeNotFound)
		_, err = s.Domains.Active(s.Context(), text)
		s.WantCode(err, core.CodeNotFound)
		_, err = s.Domains.Update(s.Context(), core.ID(text), func(*core.Domain) error { return nil })
		s.WantCode(err, core.CodeNotFound)
		s.WantCode(s.Domains.Delete(s.Context(), core.ID(text)), core.CodeNotFound)
		all, err := s.Domains.List(s.Context(), core.ID(text))
		s.Want(len(all), err, 0)
	}
	_, err := s.Domains.Active(s.Context(), pending.Name)
	s.WantCode(err, core.CodeNotFound)
}

func domainOncePerProject(s testCase) {
	workspace := s.Workspace()
	project, other := s.Project(workspace.ID), s.Project(workspace.ID)
	s.domain(project.ID, "a.example.com")
	s.WantCode(s.Domains.Create(s.Context(), s.newDomain(project.ID, "a.example.com")), core.CodeConflict)
	s.domain(project.ID, "b.example.com")
	s.domain(other.ID, "a.example.com")
}

func domainOneHolder(s testCase) {
	workspace := s.Workspace()
	first := s.domain(s.Project(workspace.ID).ID, "a.example.com")
	second := s.domain(s.Project(workspace.ID).ID, "a.example.com")
	s.Must(s.activate(first.ID))
	s.Must(s.activate(first.ID))
	s.WantCode(s.activate(second.ID), core.CodeDomainTaken)
	third := s.newDomain(s.Project(workspace.ID).ID, "a.example.com")
	third.Status = core.DomainActive
	s.WantCode(s.Domains.Create(s.Context(), third), core.CodeDomainTaken)
	holder, err := s.Domains.Active(s.Context(), "a.example.com")
	s.Want(holder.ID, err, first.ID)
	got, err := s.Domains.ByID(s.Context(), second.ID)
	s.Want(got, err, second)
}

func domainSeveralActive(s testCase) {
	project := s.Project(s.Workspace().ID)
	for _, name := range []string{"a.example.com", "b.example.com", "c.example.com"} {
		s.Must(s.activate(s.domain(project.ID, name).ID))
		holder, err := s.Domains.Active(s.Context(), name)
		s.Want(holder.ProjectID, err, project.ID)
	}
}

func domainsInParallel(s testCase) {
	workspace := s.Workspace()
	claims := make([]core.Domain, 6)
	for i := range claims {
		claims[i] = s.domain(s.Project(workspace.ID).ID, "a.example.com")
	}
	var won, taken atomic.Int32
	fixture.Together(len(claims), func(i int) {
		switch err := s.activate(claims[i].ID); {
		case err == nil:
			won.Add(1)
		case core.IsCode(err, core.CodeDomainTaken):
			taken.Add(1)
		default:
			s.Errorf("got %v, want nil or %s", err, core.CodeDomainTaken)
		}
	})
	if won.Load() != 1 || int(taken.Load()) != len(claims)-1 {
		s.Errorf("got %d active and %d refused, want 1 and %d", won.Load(), taken.Load(), len(claims)-1)
	}
}

func domainsByAge(s testCase) {
	project, other := s.Project(s.Workspace().ID), s.Project(s.Workspace().ID)
	var want []core.ID
	for i := range 4 {
		want = append(want, s.domain(project.ID, fmt.Sprintf("%d.example.com", 9-i)).ID)
		s.domain(other.ID, fmt.Sprintf("%d.example.com", 9-i))
	}
	all, err := s.Domains.List(s.Context(), project.ID)
	s.Want(fixture.IDsOf(all, func(d core.Domain) core.ID { return d.ID }), err, want)
}

func domainUpdate(s testCase) {
	domain := s.domain(s.Project(s.Workspace().ID).ID, "a.example.com")
	at := s.Now()
	got, err := s.Domains.Update(s.Context(), domain.ID, func(d *core.Domain) error {
		*d = core.Domain{
			ID: core.NewID(), ProjectID: core.NewID(), Name: "evil.example.com", Token: "other", CreatedAt: 1,
			Status: core.DomainError, Message: "wrong", CheckAt: at, CheckedAt: &at, Attempts: 3,
		}
		return nil
	})
	domain.Status, domain.Message, domain.CheckAt, domain.CheckedAt, domain.Attempts = core.DomainError, "wrong", at, &at, 3
	s.Want(got, err, domain)
	got, err = s.Domains.ByID(s.Context(), domain.ID)
	s.Want(got, err, domain)
	_, err = s.Domains.Update(s.Context(), domain.ID, func(d *core.Domain) error { return fixture.ErrStop })
	s.Want(err, nil, fixture.ErrStop)
	_, err = s.Domains.Update(s.Context(), domain.ID, func(d *core.Domain) error {
		d.Message = fixture.Unstorable()[0]
		return nil
	})
	s.WantCode(err, core.CodeValidationFailed)
	got, err = s.Domains.ByID(s.Context(), domain.ID)
	s.Want(got, err, domain)
}

func domainFreed(s testCase) {
	workspace := s.Workspace()
	first := s.domain(s.Project(workspace.ID).ID, "a.example.com")
	second := s.domain(s.Project(workspace.ID).ID, "a.example.com")
	third := s.domain(s.Project(workspace.ID).ID, "a.example.com")
	s.Must(s.activate(first.ID))
	_, err := s.Domains.Update(s.Context(), first.ID, func(d *core.Domain) error {
		d.Status = core.DomainError
		return nil
	})
	s.Must(err)
	s.Must(s.activate(second.ID))
	s.Must(s.Domains.Delete(s.Context(), second.ID))
	s.WantCode(s.Domains.Delete(s.Context(), second.ID), core.CodeNotFound)
	s.Must(s.activate(third.ID))
	s.WantCode(s.activate(first.ID), core.CodeDomainTaken)
}

func domainDue(s testCase) {
	project := s.Project(s.Workspace().ID)
	var made []core.Domain
	for i, due := range []core.Time{300, 100, 200, 1000} {
		domain := s.newDomain(project.ID, fmt.Sprintf("%d.example.com", i))
		domain.CheckAt = due
		s.Must(s.Domains.Create(s.Context(), domain))
		made = append(made, domain)
	}
	for _, i := range []int{1, 2, 0} {
		want := made[i]
		want.CheckAt = 5000
		got, err := s.Domains.Claim(s.Context(), 999, 5000)
		s.Want(got, err, want)
	}
	_, err := s.Domains.Claim(s.Context(), 999, 5000)
	s.WantCode(err, core.CodeNotFound)
	got, err := s.Domains.ByID(s.Context(), made[1].ID)
	s.Want(got.CheckAt, err, core.Time(5000))
}

func domainsClaimed(s testCase) {
	project := s.Project(s.Workspace().ID)
	for i := range 8 {
		s.domain(project.ID, fmt.Sprintf("%d.example.com", i))
	}
	claimed := make([]core.ID, 8)
	now := s.Now()
	fixture.Together(len(claimed), func(i int) {
		domain, err := s.Domains.Claim(s.Context(), now, now.Add(1e9))
		if err != nil && !core.IsCode(err, core.CodeNotFound) {
			s.Errorf("got %v, want nil or %s", err, core.CodeNotFound)
		}
		claimed[i] = domain.ID
	})
	claimed = slices.DeleteFunc(claimed, func(id core.ID) bool { return id == "" })
	slices.Sort(claimed)
	if got := len(slices.Compact(slices.Clone(claimed))); got != len(claimed) || got == 0 {
		s.Errorf("got %d of %d claimed twice, want none", len(claimed)-got, len(claimed))
	}
}

func domainsOfProject(s testCase) {
	workspace, kept := s.Workspace(), s.Project(s.Workspace().ID)
	first, second := s.Project(workspace.ID), s.Project(workspace.ID)
	for _, id := range []core.ID{first.ID, second.ID, kept.ID} {
		s.domain(id, "a.example.com")
	}
	s.Must(s.Projects.Delete(s.Context(), first.ID))
	s.Must(s.Workspaces.Delete(s.Context(), workspace.ID))
	for id, want := range map[core.ID]int{first.ID: 0, second.ID: 0, kept.ID: 1} {
		all, err := s.Domains.List(s.Context(), id)
		s.Want(len(all), err, want)
	}
}

func domainCopies(s testCase) {
	domain := s.newDomain(s.Project(s.Workspace().ID).ID, "a.example.com")
	checked := s.Now()
	at := checked
	domain.CheckedAt = &at
	s.Must(s.Domains.Create(s.Context(), domain))
	at = 1
	for range 2 {
		got, err := s.Domains.ByID(s.Context(), domain.ID)
		s.Want(*got.CheckedAt, err, checked)
		*got.CheckedAt = 2
	}
}

func domainTakenInTx(s testCase) {
	workspace := s.Workspace()
	first := s.domain(s.Project(workspace.ID).ID, "a.example.com")
	second := s.domain(s.Project(workspace.ID).ID, "a.example.com")
	s.Must(s.activate(first.ID))
	err := s.Store.InTx(s.Context(), fixture.InTx(func(in fixture.Tx) error {
		_, err := in.Domains.Update(in.Ctx, second.ID, func(d *core.Domain) error {
			d.Status = core.DomainActive
			return nil
		})
		s.WantCode(err, core.CodeDomainTaken)
		_, err = in.Domains.Update(in.Ctx, second.ID, func(d *core.Domain) error {
			d.Status, d.Message = core.DomainError, "taken"
			return nil
		})
		return err
	}))
	s.Must(err)
	got, err := s.Domains.ByID(s.Context(), second.ID)
	s.Want(got.Message, err, "taken")
}

func domainsEnded(s testCase) {
	domain := s.domain(s.Project(s.Workspace().ID).ID, "a.example.com")
	_, err := s.Domains.ByID(s.Ended(), domain.ID)
	s.WantCode(err, core.CodeUnavailable)
	_, err = s.Domains.Active(s.Ended(), domain.Name)
	s.WantCode(err, core.CodeUnavailable)
	_, err = s.Domains.List(s.Ended(), domain.ProjectID)
	s.WantCode(err, core.CodeUnavailable)
	_, err = s.Domains.Update(s.Ended(), domain.ID, func(*core.Domain) error { return nil })
	s.WantCode(err, core.CodeUnavailable)
	_, err = s.Domains.Claim(s.Ended(), s.Now(), s.Now())
	s.WantCode(err, core.CodeUnavailable)
	s.WantCode(s.Domains.Delete(s.Ended(), domain.ID), core.CodeUnavailable)
	s.WantCode(s.Domains.Create(s.Ended(), domain), core.CodeUnavailable)
}
