package porttest

import (
	"sync"

	"github.com/atelierhq/atelier/core"
)

func storageMailClauses() []storageClause {
	return []storageClause{
		{"a mail comes back as it was stored", mailComesBack},
		{"a claim takes the mail that has been due longest", mailClaimLongestDue},
		{"a claimed mail is nobody else's before the claim ends", mailClaimEnds},
		{"of parallel claims of a few mails each gets another or none", mailClaimsInParallel},
		{"claimers and a clock that goes on lose no mail and no attempt", mailClaimsOverTime},
		{"a claim that is rolled back leaves the mail as it was", mailClaimRolledBack},
		{"a postponed mail is due when it says", mailPostpone},
		{"a deleted mail is gone, and one that is gone is no error", mailDelete},
		{"mails go in and come out as copies", mailCopies},
		{"mails are counted by subject and day, also in parallel", mailCounts},
	}
}

func (s *storageCase) newMail(due core.Time) core.MailJob {
	return core.MailJob{ID: core.NewID(), Sealed: []byte("sealed"), DueAt: due, CreatedAt: s.now()}
}

func (s *storageCase) mail(due core.Time) core.MailJob {
	s.Helper()
	job := s.newMail(due)
	s.must(s.Mails.Create(s.Context(), job))
	return job
}

// wantNoneDue holds that nothing can be claimed.
func (s *storageCase) wantNoneDue(now core.Time) {
	s.Helper()
	_, err := s.Mails.Claim(s.Context(), now, now+1)
	s.wantCode(err, core.CodeNotFound)
}

func mailComesBack(s *storageCase) {
	s.wantNoneDue(1 << 50)
	job := s.newMail(10)
	job.Sealed, job.Attempts = []byte("\x00\xff'\\sealed"), 4
	s.must(s.Mails.Create(s.Context(), job))
	s.wantCode(s.Mails.Create(s.Context(), job), core.CodeConflict)
	want := job
	want.Attempts, want.DueAt = 5, 1<<50
	got, err := s.Mails.Claim(s.Context(), 10, 1<<50)
	s.want(got, err, want)
	for _, text := range unstorable {
		refused := s.newMail(10)
		refused.ID = core.ID(text)
		s.wantCode(s.Mails.Create(s.Context(), refused), core.CodeValidationFailed)
	}
	s.wantNoneDue(11)
}

func mailClaimLongestDue(s *storageCase) {
	later, twin, first, second := s.mail(30), s.newMail(20), s.mail(10), s.newMail(20)
	if second.ID > twin.ID {
		second, twin = twin, second
	}
	s.must(s.Mails.Create(s.Context(), twin))
	s.must(s.Mails.Create(s.Context(), second))
	future := s.mail(31)
	s.wantNoneDue(9)
	for _, want := range []core.MailJob{first, second, twin, later} {
		want.DueAt, want.Attempts = 99, 1
		got, err := s.Mails.Claim(s.Context(), 30, 99)
		s.want(got, err, want)
	}
	s.wantNoneDue(30)
	got, err := s.Mails.Claim(s.Context(), 31, 99)
	s.want(got.ID, err, future.ID)
}

func mailClaimEnds(s *storageCase) {
	job := s.mail(10)
	for attempt, now := range []core.Time{10, 20, 30} {
		got, err := s.Mails.Claim(s.Context(), now, now+10)
		job.DueAt, job.Attempts = now+10, attempt+1
		s.want(got, err, job)
		s.wantNoneDue(now)
		s.wantNoneDue(now + 9)
	}
}

func mailClaimsInParallel(s *storageCase) {
	const claimers, mails = 16, 5
	for range mails {
		s.mail(10)
	}
	var lock sync.Mutex
	claims := map[core.ID]int{}
	together(claimers, func(int) {
		job, err := s.Mails.Claim(s.Context(), 10, 20)
		if err != nil {
			s.wantCode(err, core.CodeNotFound)
			return
		}
		lock.Lock()
		defer lock.Unlock()
		claims[job.ID]++
		s.want(job.Attempts, nil, 1)
	})
	s.want(len(claims), nil, mails)
	for id, count := range claims {
		if count != 1 {
			s.Errorf("got mail %s for %d claimers, want it for one", id, count)
		}
	}
}

func mailClaimsOverTime(s *storageCase) {
	const claimers, mails, rounds = 4, 3, 5
	for range mails {
		s.mail(0)
	}
	var lock sync.Mutex
	attempts := map[core.ID]int{}
	for round := range core.Time(rounds) {
		together(claimers, func(int) {
			job, err := s.Mails.Claim(s.Context(), round, round+1)
			if err != nil {
				s.wantCode(err, core.CodeNotFound)
				return
			}
			lock.Lock()
			defer lock.Unlock()
			attempts[job.ID]++
			s.want(job.Attempts, nil, attempts[job.ID])
		})
	}
	s.want(len(attempts), nil, mails)
	for id, count := range attempts {
		if count != rounds {
			s.Errorf("mail %s: got %d claims, want %d, one a round", id, count, rounds)
		}
	}
}

func mailClaimRolledBack(s *storageCase) {
	job := s.mail(10)
	err := s.store.InTx(s.Context(), inTx(func(in storageTx) error {
		if _, err := in.Mails.Claim(in.ctx, 10, 99); err != nil {
			return err
		}
		return errStop
	}))
	s.want(err, nil, errStop)
	job.DueAt, job.Attempts = 20, 1
	got, err := s.Mails.Claim(s.Context(), 10, 20)
	s.want(got, err, job)
}

func mailPostpone(s *storageCase) {
	job, other := s.mail(10), s.mail(15)
	s.must(s.Mails.Postpone(s.Context(), job.ID, 50))
	got, err := s.Mails.Claim(s.Context(), 49, 99)
	s.want(got.ID, err, other.ID)
	s.wantNoneDue(49)
	job.DueAt, job.Attempts = 99, 1
	got, err = s.Mails.Claim(s.Context(), 50, 99)
	s.want(got, err, job)
	s.must(s.Mails.Postpone(s.Context(), job.ID, 60))
	job.Attempts = 2
	got, err = s.Mails.Claim(s.Context(), 60, 99)
	s.want(got, err, job)
	for _, id := range []core.ID{core.NewID(), core.ID(unstorable[0]), ""} {
		s.wantCode(s.Mails.Postpone(s.Context(), id, 1), core.CodeNotFound)
	}
	s.wantNoneDue(60)
}

func mailDelete(s *storageCase) {
	doomed, kept := s.mail(10), s.mail(20)
	for range 2 {
		s.must(s.Mails.Delete(s.Context(), doomed.ID))
	}
	for _, id := range []core.ID{core.NewID(), core.ID(unstorable[0]), ""} {
		s.must(s.Mails.Delete(s.Context(), id))
	}
	s.wantCode(s.Mails.Postpone(s.Context(), doomed.ID, 1), core.CodeNotFound)
	got, err := s.Mails.Claim(s.Context(), 20, 99)
	s.want(got.ID, err, kept.ID)
	s.wantNoneDue(20)
}

func mailCopies(s *storageCase) {
	job := s.mail(10)
	job.Sealed[0] = 'x'
	for now := range core.Time(2) {
		got, err := s.Mails.Claim(s.Context(), 10+now, 11+now)
		s.want(got.Sealed, err, []byte("sealed"))
		got.Sealed[0] = 'y'
	}
}

func mailCounts(s *storageCase) {
	count := func(subject, day string, want int) {
		s.Helper()
		got, err := s.Mails.Count(s.Context(), subject, day)
		s.want(got, err, want)
	}
	count("ada", "2026-01-02", 1)
	count("ada", "2026-01-02", 2)
	count("ada", "2026-01-03", 1)
	count("bob", "2026-01-02", 1)
	together(16, func(int) {
		if _, err := s.Mails.Count(s.Context(), "eve", "2026-01-02"); err != nil {
			s.Errorf("got %v, want nil", err)
		}
	})
	count("eve", "2026-01-02", 17)
	s.want(s.store.InTx(s.Context(), inTx(func(in storageTx) error {
		_, err := in.Mails.Count(in.ctx, "ada", "2026-01-03")
		s.must(err)
		return errStop
	})), nil, errStop)
	s.must(s.Mails.Prune(s.Context(), "2026-01-03"))
	count("eve", "2026-01-02", 1)
	count("ada", "2026-01-03", 2)
	_, err := s.Mails.Count(s.Context(), unstorable[0], "2026-01-03")
	s.wantCode(err, core.CodeValidationFailed)
}
