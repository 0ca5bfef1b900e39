package porttest

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/atelierhq/atelier/core"
)

func storageDomainClauses() []storageClause {
	return []storageClause{
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

func (s *storageCase) newDomain(project core.ID, name string) core.Domain {
	at := s.now()
	return core.Domain{
		ID: core.NewID(), ProjectID: project, Name: name, Status: core.DomainPendingDNS, Message: "add records",
		CreatedAt: at, Token: string(core.NewID()), CheckAt: at,
	}
}

func (s *storageCase) domain(project core.ID, name string) core.Domain {
	s.Helper()
	domain := s.newDomain(project, name)
	s.must(s.Domains.Create(s.Context(), domain))
	return domain
}

func (s *storageCase) activate(id core.ID) error {
	_, err := s.Domains.Update(s.Context(), id, func(d *core.Domain) error {
		d.Status = core.DomainActive
		return nil
	})
	return err
}

func domainComesBack(s *storageCase) {
	project := s.project(s.workspace().ID)
	plain, full := s.newDomain(project.ID, "a.example.com"), s.newDomain(project.ID, "b.example.com")
	full.Status, full.Message, full.Attempts = core.DomainActive, "it's \"odd\" \\ ?", 7
	full.Checks = &core.DomainChecks{Pointing: core.DomainCheckMissing, Proof: core.DomainCheckPresent, LeadsTo: []string{"192.0.2.1", "2001:db8::1"}, Addresses: []string{}}
	full.CheckedAt, full.VerifiedAt, full.FailingSince = new(s.now()), new(s.now()), new(s.now())
	for _, domain := range []core.Domain{plain, full} {
		s.must(s.Domains.Create(s.Context(), domain))
		got, err := s.Domains.ByID(s.Context(), domain.ID)
		s.want(got, err, domain)
	}
	got, err := s.Domains.Active(s.Context(), full.Name)
	s.want(got, err, full)
	for _, text := range unstorable {
		s.wantCode(s.Domains.Create(s.Context(), s.newDomain(project.ID, text)), core.CodeValidationFailed)
	}
	s.wantCode(s.Domains.Create(s.Context(), s.newDomain(core.NewID(), "c.example.com")), core.CodeNotFound)
	s.wantCode(s.Domains.Create(s.Context(), plain), core.CodeConflict)
}

func domainNotFound(s *storageCase) {
	pending := s.domain(s.project(s.workspace().ID).ID, "a.example.com")
	for _, text := range append(unstorable, string(core.NewID()), "") {
		_, err := s.Domains.ByID(s.Context(), core.ID(text))
		s.wantCode(err, core.CodeNotFound)
		_, err = s.Domains.Active(s.Context(), text)
		s.wantCode(err, core.CodeNotFound)
		_, err = s.Domains.Update(s.Context(), core.ID(text), func(*core.Domain) error { return nil })
		s.wantCode(err, core.CodeNotFound)
		s.wantCode(s.Domains.Delete(s.Context(), core.ID(text)), core.CodeNotFound)
		all, err := s.Domains.List(s.Context(), core.ID(text))
		s.want(len(all), err, 0)
	}
	_, err := s.Domains.Active(s.Context(), pending.Name)
	s.wantCode(err, core.CodeNotFound)
}

func domainOncePerProject(s *storageCase) {
	workspace := s.workspace()
	project, other := s.project(workspace.ID), s.project(workspace.ID)
	s.domain(project.ID, "a.example.com")
	s.wantCode(s.Domains.Create(s.Context(), s.newDomain(project.ID, "a.example.com")), core.CodeConflict)
	s.domain(project.ID, "b.example.com")
	s.domain(other.ID, "a.example.com")
}

func domainOneHolder(s *storageCase) {
	workspace := s.workspace()
	first := s.domain(s.project(workspace.ID).ID, "a.example.com")
	second := s.domain(s.project(workspace.ID).ID, "a.example.com")
	s.must(s.activate(first.ID))
	s.must(s.activate(first.ID))
	s.wantCode(s.activate(second.ID), core.CodeDomainTaken)
	third := s.newDomain(s.project(workspace.ID).ID, "a.example.com")
	third.Status = core.DomainActive
	s.wantCode(s.Domains.Create(s.Context(), third), core.CodeDomainTaken)
	holder, err := s.Domains.Active(s.Context(), "a.example.com")
	s.want(holder.ID, err, first.ID)
	got, err := s.Domains.ByID(s.Context(), second.ID)
	s.want(got, err, second)
}

func domainSeveralActive(s *storageCase) {
	project := s.project(s.workspace().ID)
	for _, name := range []string{"a.example.com", "b.example.com", "c.example.com"} {
		s.must(s.activate(s.domain(project.ID, name).ID))
		holder, err := s.Domains.Active(s.Context(), name)
		s.want(holder.ProjectID, err, project.ID)
	}
}

func domainsInParallel(s *storageCase) {
	workspace := s.workspace()
	claims := make([]core.Domain, 6)
	for i := range claims {
		claims[i] = s.domain(s.project(workspace.ID).ID, "a.example.com")
	}
	var won, taken atomic.Int32
	together(len(claims), func(i int) {
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

func domainsByAge(s *storageCase) {
	project, other := s.project(s.workspace().ID), s.project(s.workspace().ID)
	var want []core.ID
	for i := range 4 {
		want = append(want, s.domain(project.ID, fmt.Sprintf("%d.example.com", 9-i)).ID)
		s.domain(other.ID, fmt.Sprintf("%d.example.com", 9-i))
	}
	all, err := s.Domains.List(s.Context(), project.ID)
	s.want(idsOf(all, func(d core.Domain) core.ID { return d.ID }), err, want)
}

func domainUpdate(s *storageCase) {
	domain := s.domain(s.project(s.workspace().ID).ID, "a.example.com")
	at := s.now()
	got, err := s.Domains.Update(s.Context(), domain.ID, func(d *core.Domain) error {
		*d = core.Domain{
			ID: core.NewID(), ProjectID: core.NewID(), Name: "evil.example.com", Token: "other", CreatedAt: 1,
			Status: core.DomainError, Message: "wrong", CheckAt: at, CheckedAt: &at, Attempts: 3,
		}
		return nil
	})
	domain.Status, domain.Message, domain.CheckAt, domain.CheckedAt, domain.Attempts = core.DomainError, "wrong", at, &at, 3
	s.want(got, err, domain)
	got, err = s.Domains.ByID(s.Context(), domain.ID)
	s.want(got, err, domain)
	_, err = s.Domains.Update(s.Context(), domain.ID, func(d *core.Domain) error { return errStop })
	s.want(err, nil, errStop)
	_, err = s.Domains.Update(s.Context(), domain.ID, func(d *core.Domain) error {
		d.Message = unstorable[0]
		return nil
	})
	s.wantCode(err, core.CodeValidationFailed)
	got, err = s.Domains.ByID(s.Context(), domain.ID)
	s.want(got, err, domain)
}

func domainFreed(s *storageCase) {
	workspace := s.workspace()
	first := s.domain(s.project(workspace.ID).ID, "a.example.com")
	second := s.domain(s.project(workspace.ID).ID, "a.example.com")
	third := s.domain(s.project(workspace.ID).ID, "a.example.com")
	s.must(s.activate(first.ID))
	_, err := s.Domains.Update(s.Context(), first.ID, func(d *core.Domain) error {
		d.Status = core.DomainError
		return nil
	})
	s.must(err)
	s.must(s.activate(second.ID))
	s.must(s.Domains.Delete(s.Context(), second.ID))
	s.wantCode(s.Domains.Delete(s.Context(), second.ID), core.CodeNotFound)
	s.must(s.activate(third.ID))
	s.wantCode(s.activate(first.ID), core.CodeDomainTaken)
}

func domainDue(s *storageCase) {
	project := s.project(s.workspace().ID)
	var made []core.Domain
	for i, due := range []core.Time{300, 100, 200, 1000} {
		domain := s.newDomain(project.ID, fmt.Sprintf("%d.example.com", i))
		domain.CheckAt = due
		s.must(s.Domains.Create(s.Context(), domain))
		made = append(made, domain)
	}
	for _, i := range []int{1, 2, 0} {
		want := made[i]
		want.CheckAt = 5000
		got, err := s.Domains.Claim(s.Context(), 999, 5000)
		s.want(got, err, want)
	}
	_, err := s.Domains.Claim(s.Context(), 999, 5000)
	s.wantCode(err, core.CodeNotFound)
	got, err := s.Domains.ByID(s.Context(), made[1].ID)
	s.want(got.CheckAt, err, core.Time(5000))
}

func domainsClaimed(s *storageCase) {
	project := s.project(s.workspace().ID)
	for i := range 8 {
		s.domain(project.ID, fmt.Sprintf("%d.example.com", i))
	}
	claimed := make([]core.ID, 8)
	now := s.now()
	together(len(claimed), func(i int) {
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

func domainsOfProject(s *storageCase) {
	workspace, kept := s.workspace(), s.project(s.workspace().ID)
	first, second := s.project(workspace.ID), s.project(workspace.ID)
	for _, id := range []core.ID{first.ID, second.ID, kept.ID} {
		s.domain(id, "a.example.com")
	}
	s.must(s.Projects.Delete(s.Context(), first.ID))
	s.must(s.Workspaces.Delete(s.Context(), workspace.ID))
	for id, want := range map[core.ID]int{first.ID: 0, second.ID: 0, kept.ID: 1} {
		all, err := s.Domains.List(s.Context(), id)
		s.want(len(all), err, want)
	}
}

func domainCopies(s *storageCase) {
	domain := s.newDomain(s.project(s.workspace().ID).ID, "a.example.com")
	checked := s.now()
	at := checked
	domain.CheckedAt = &at
	s.must(s.Domains.Create(s.Context(), domain))
	at = 1
	for range 2 {
		got, err := s.Domains.ByID(s.Context(), domain.ID)
		s.want(*got.CheckedAt, err, checked)
		*got.CheckedAt = 2
	}
}

func domainTakenInTx(s *storageCase) {
	workspace := s.workspace()
	first := s.domain(s.project(workspace.ID).ID, "a.example.com")
	second := s.domain(s.project(workspace.ID).ID, "a.example.com")
	s.must(s.activate(first.ID))
	err := s.store.InTx(s.Context(), inTx(func(in storageTx) error {
		_, err := in.Domains.Update(in.ctx, second.ID, func(d *core.Domain) error {
			d.Status = core.DomainActive
			return nil
		})
		s.wantCode(err, core.CodeDomainTaken)
		_, err = in.Domains.Update(in.ctx, second.ID, func(d *core.Domain) error {
			d.Status, d.Message = core.DomainError, "taken"
			return nil
		})
		return err
	}))
	s.must(err)
	got, err := s.Domains.ByID(s.Context(), second.ID)
	s.want(got.Message, err, "taken")
}

func domainsEnded(s *storageCase) {
	domain := s.domain(s.project(s.workspace().ID).ID, "a.example.com")
	_, err := s.Domains.ByID(s.ended(), domain.ID)
	s.wantCode(err, core.CodeUnavailable)
	_, err = s.Domains.Active(s.ended(), domain.Name)
	s.wantCode(err, core.CodeUnavailable)
	_, err = s.Domains.List(s.ended(), domain.ProjectID)
	s.wantCode(err, core.CodeUnavailable)
	_, err = s.Domains.Update(s.ended(), domain.ID, func(*core.Domain) error { return nil })
	s.wantCode(err, core.CodeUnavailable)
	_, err = s.Domains.Claim(s.ended(), s.now(), s.now())
	s.wantCode(err, core.CodeUnavailable)
	s.wantCode(s.Domains.Delete(s.ended(), domain.ID), core.CodeUnavailable)
	s.wantCode(s.Domains.Create(s.ended(), domain), core.CodeUnavailable)
}
