package storagetest

import (
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func mailClauses() []clause {
	return []clause{
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

func (s testCase) newMail(due core.Time) core.MailJob {
	return core.MailJob{ID: core.NewID(), Sealed: []byte("sealed"), DueAt: due, CreatedAt: s.Now()}
}

func (s testCase) mail(due core.Time) core.MailJob {
	s.Helper()
	job := s.newMail(due)
	s.Must(s.Mails.Create(s.Context(), job))
	return job
}

// wantNoneDue holds that nothing can be claimed.
func (s testCase) wantNoneDue(now core.Time) {
	s.Helper()
	_, err := s.Mails.Claim(s.Context(), now, now+1)
	s.WantCode(err, core.CodeNotFound)
}

func mailComesBack(s testCase) {
	s.wantNoneDue(1 << 50)
	job := s.newMail(10)
	job.Sealed, job.Attempts = []byte("\x00\xff'\\sealed"), 4
	s.Must(s.Mails.Create(s.Context(), job))
	s.WantCode(s.Mails.Create(s.Context(), job), core.CodeConflict)
	want := job
	want.Attempts, want.DueAt = 5, 1<<50
	got, err := s.Mails.Claim(s.Context(), 10, 1<<50)
	s.Want(got, err, want)
	for _, text := range fixture.Unstorable() {
		refused := s.newMail(10)
		refused.ID = core.ID(text)
		s.WantCode(s.Mails.Create(s.Context(), refused), core.CodeValidationFailed)
	}
	s.wantNoneDue(11)
}

func mailClaimLongestDue(s testCase) {
	later, twin, first, second := s.mail(30), s.newMail(20), s.mail(10), s.newMail(20)
	if second.ID > twin.ID {
		second, twin = twin, second
	}
	s.Must(s.Mails.Create(s.Context(), twin))
	s.Must(s.Mails.Create(s.Context(), second))
	future := s.mail(31)
	s.wantNoneDue(9)
	for _, want := range []core.MailJob{first, second, twin, later} {
		want.DueAt, want.Attempts = 99, 1
		got, err := s.Mails.Claim(s.Context(), 30, 99)
		s.Want(got, err, want)
	}
	s.wantNoneDue(30)
	got, err := s.Mails.Claim(s.Context(), 31, 99)
	s.Want(got.ID, err, future.ID)
}

func mailClaimEnds(s testCase) {
	job := s.mail(10)
	for attempt, now := range []core.Time{10, 20, 30} {
		got, err := s.Mails.Claim(s.Context(), now, now+10)
		job.DueAt, job.Attempts = now+10, attempt+1
		s.Want(got, err, job)
		s.wantNoneDue(now)
		s.wantNoneDue(now + 9)
	}
}

func mailClaimsInParallel(s testCase) {
	const claimers, mails = 16, 5
	for range mails {
		s.mail(10)
	}
	var lock sync.Mutex
	claims := map[core.ID]int{}
	fixture.Together(claimers, func(int) {
		job, err := s.Mails.Claim(s.Context(), 10, 20)
		if err != nil {
			s.WantCode(err, core.CodeNotFound)
			return
		}
		lock.Lock()
		defer lock.Unlock()
		claims[job.ID]++
		s.Want(job.Attempts, nil, 1)
	})
	s.Want(len(claims), nil, mails)
	for id, count := range claims {
		if count != 1 {
			s.Errorf("got mail %s for %d claimers, want it for one", id, count)
		}
	}
}

func mailClaimsOverTime(s testCase) {
	const claimers, mails, rounds = 4, 3, 5
	for range mails {
		s.mail(0)
	}
	var lock sync.Mutex
	attempts := map[core.ID]int{}
	for round := range core.Time(rounds) {
		fixture.Together(claimers, func(int) {
			job, err := s.Mails.Claim(s.Context(), round, round+1)
			if err != nil {
				s.WantCode(err, core.CodeNotFound)
				return
			}
			lock.Lock()
			defer lock.Unlock()
			attempts[job.ID]++
			s.Want(job.Attempts, nil, attempts[job.ID])
		})
	}
	s.Want(len(attempts), nil, mails)
	for id, count := range attempts {
		if count != rounds {
			s.Errorf("mail %s: got %d claims, want %d, one a round", id, count, rounds)
		}
	}
}

func mailClaimRolledBack(s testCase) {
	job := s.mail(10)
	err := s.Store.InTx(s.Context(), fixture.InTx(func(in fixture.Tx) error {
		if _, err := in.Mails.Claim(in.Ctx, 10, 99); err != nil {
			return err
		}
		return fixture.ErrStop
	}))
	s.Want(err, nil, fixture.ErrStop)
	job.DueAt, job.Attempts = 20, 1
	got, err := s.Mails.Claim(s.Context(), 10, 20)
	s.Want(got, err, job)
}

func mailPostpone(s testCase) {
	job, other := s.mail(10), s.mail(15)
	s.Must(s.Mails.Postpone(s.Context(), job.ID, 50))
	got, err := s.Mails.Claim(s.Context(), 49, 99)
	s.Want(got.ID, err, other.ID)
	s.wantNoneDue(49)
	job.DueAt, job.Attempts = 99, 1
	got, err = s.Mails.Claim(s.Context(), 50, 99)
	s.Want(got, err, job)
	s.Must(s.Mails.Postpone(s.Context(), job.ID, 60))
	job.Attempts = 2
	got, err = s.Mails.Claim(s.Context(), 60, 99)
	s.Want(got, err, job)
	for _, id := range []core.ID{core.NewID(), core.ID(fixture.Unstorable()[0]), ""} {
		s.WantCode(s.Mails.Postpone(s.Context(), id, 1), core.CodeNotFound)
	}
	s.wantNoneDue(60)
}

func mailDelete(s testCase) {
	doomed, kept := s.mail(10), s.mail(20)
	for range 2 {
		s.Must(s.Mails.Delete(s.Context(), doomed.ID))
	}
	for _, id := range []core.ID{core.NewID(), core.ID(fixture.Unstorable()[0]), ""} {
		s.Must(s.Mails.Delete(s.Context(), id))
	}
	s.WantCode(s.Mails.Postpone(s.Context(), doomed.ID, 1), core.CodeNotFound)
	got, err := s.Mails.Claim(s.Context(), 20, 99)
	s.Want(got.ID, err, kept.ID)
	s.wantNoneDue(20)
}

func mailCopies(s testCase) {
	job := s.mail(10)
	job.Sealed[0] = 'x'
	for later := range core.Time(2) {
		got, err := s.Mails.Claim(s.Context(), 10+later, 11+later)
		s.Want(got.Sealed, err, []byte("sealed"))
		got.Sealed[0] = 'y'
	}
}

func mailCounts(s testCase) {
	count := func(subject, day string, want int) {
		s.Helper()
		got, err := s.Mails.Count(s.Context(), subject, day)
		s.Want(got, err, want)
	}
	count("ada", "2026-01-02", 1)
	count("ada", "2026-01-02", 2)
	count("ada", "2026-01-03", 1)
	count("bob", "2026-01-02", 1)
	fixture.Together(16, func(int) {
		if _, err := s.Mails.Count(s.Context(), "eve", "2026-01-02"); err != nil {
			s.Errorf("got %v, want nil", err)
		}
	})
	count("eve", "2026-01-02", 17)
	for subject, want := range map[string]int{"eve": 17, "nobody": 0} {
		got, err := s.Mails.Counted(s.Context(), subject, "2026-01-02")
		s.Want(got, err, want)
	}
	s.Want(s.Store.InTx(s.Context(), fixture.InTx(func(in fixture.Tx) error {
		_, err := in.Mails.Count(in.Ctx, "ada", "2026-01-03")
		s.Must(err)
		return fixture.ErrStop
	})), nil, fixture.ErrStop)
	s.Must(s.Mails.Prune(s.Context(), "2026-01-03"))
	count("eve", "2026-01-02", 1)
	count("ada", "2026-01-03", 2)
	_, err := s.Mails.Count(s.Context(), fixture.Unstorable()[0], "2026-01-03")
	s.WantCode(err, core.CodeValidationFailed)
}
