package mailer

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/mail"
	"github.com/atelierhq/atelier/ports/storage"
)

func TestAMailIsSentAtOnceAndOnce(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		o.start(o.box)
		synctest.Wait()
		began := time.Now()
		o.user("ada@example.com")
		o.reset("ada@example.com")
		synctest.Wait()
		if sent := o.box.Sent(); len(sent) != 1 || sent[0].To != "ada@example.com" || time.Since(began) != 0 {
			t.Fatalf("got %v after %s, want one mail at once", sent, time.Since(began))
		}
		time.Sleep(2 * giveUpAfter)
		if sent := o.box.Sent(); len(sent) != 1 || o.waiting() != 0 {
			t.Fatalf("got %d mails, want one and an empty queue", len(sent))
		}
	})
}

func TestAMailThatAnotherProcessStoredIsFound(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		o.start(o.box)
		synctest.Wait()
		o.user("ada@example.com")
		other := New(o.sealer, time.Now)
		if err := other.PasswordReset(t.Context(), o.store.Tables(), "ada@example.com", ""); err != nil {
			t.Fatal(err)
		}
		time.Sleep(poll)
		synctest.Wait()
		if sent := o.box.Sent(); len(sent) != 1 {
			t.Fatalf("got %d mails after %s, want one", len(sent), poll)
		}
	})
}

func TestARolledBackMailIsNotSent(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		o.start(o.box)
		o.user("ada@example.com")
		_ = o.store.InTx(t.Context(), func(ctx context.Context, tables storage.Tables) error {
			_ = o.queue.PasswordReset(ctx, tables, "ada@example.com", "")
			return core.Errorf(core.CodeConflict, "no")
		})
		o.queue.Wake()
		time.Sleep(time.Hour)
		if sent := o.box.Sent(); len(sent) != 0 {
			t.Fatalf("got %d mails, want none", len(sent))
		}
	})
}

func TestWhatMayPassIsTriedAgainForADayWithGrowingWaits(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		var at []time.Duration
		began := time.Now()
		o.start(senderFunc(func(context.Context, mail.Message) error {
			at = append(at, time.Since(began))
			return core.Errorf(core.CodeUnavailable, "the post is closed")
		}))
		o.user("ada@example.com")
		o.reset("ada@example.com")
		time.Sleep(3 * giveUpAfter)
		synctest.Wait()
		if len(at) < 12 || len(at) > 30 || at[0] != 0 || at[len(at)-1] > giveUpAfter+poll || at[len(at)-1] < giveUpAfter-maxWait-poll {
			t.Fatalf("got attempts after %v, want some for a day", at)
		}
		for i := 2; i < len(at); i++ {
			if before, after := at[i-1]-at[i-2], at[i]-at[i-1]; after < before-poll || after > maxWait+poll {
				t.Errorf("got waits %s and then %s, want them to grow up to %s", before, after, maxWait)
			}
		}
		if o.waiting() != 0 || strings.Count(o.log.String(), "gave up on a mail") != 1 {
			t.Errorf("got the log %s, want the mail given up once", o.log)
		}
	})
}

func TestWhatIsRefusedForGoodIsGivenUpAtOnce(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		attempts := 0
		o.start(senderFunc(func(context.Context, mail.Message) error {
			attempts++
			return core.Errorf(core.CodeValidationFailed, "no such mailbox")
		}))
		o.user("ada@example.com")
		o.reset("ada@example.com")
		time.Sleep(time.Hour)
		synctest.Wait()
		if attempts != 1 || o.waiting() != 0 {
			t.Errorf("got %d attempts, want one and an empty queue", attempts)
		}
	})
}

func TestTheMailArrivesOnceThePostIsBack(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		o.box.SetFailure(core.Errorf(core.CodeUnavailable, "the post is closed"))
		o.start(o.box)
		o.user("ada@example.com")
		o.reset("ada@example.com")
		time.Sleep(3 * time.Hour)
		o.box.SetFailure(nil)
		time.Sleep(maxWait + poll)
		sent := o.box.Sent()
		if len(sent) != 1 {
			t.Fatalf("got %d mails, want one", len(sent))
		}
		ticket, err := o.store.Tables().Tickets.Take(t.Context(), core.TicketPasswordReset, core.HashSecret(token(t, sent[0], "?token=")))
		if err != nil || ticket.ExpiresAt <= core.At(time.Now()) {
			t.Fatalf("got %v, %v, want a link that still works", ticket, err)
		}
	})
}

// TestAMailOutlivesTheProcessThatWasSendingIt simulates kill -9: the first worker
// has claimed the mail and never comes back.
func TestAMailOutlivesTheProcessThatWasSendingIt(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		dead := o.worker(o.box)
		o.user("ada@example.com")
		o.reset("ada@example.com")
		if dead.claim(t.Context()) == nil {
			t.Fatal("the mail was not due")
		}
		began := time.Now()
		o.start(o.box)
		time.Sleep(lease - time.Second)
		if sent := o.box.Sent(); len(sent) != 0 {
			t.Fatalf("got %d mails within the lease, want none", len(sent))
		}
		mails, err := o.box.Await(t.Context(), "ada@example.com", 1)
		if took := time.Since(began); err != nil || len(mails) != 1 || took > lease+poll {
			t.Fatalf("got %v, %v after %s, want the mail after the lease", mails, err, took)
		}
	})
}

func TestSeveralProcessesSendEveryMailOnce(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		const mails = 40
		var sending, most atomic.Int64
		slow := senderFunc(func(ctx context.Context, message mail.Message) error {
			most.Store(max(most.Load(), sending.Add(1)))
			time.Sleep(time.Second)
			sending.Add(-1)
			return o.box.Send(ctx, message)
		})
		for range mails {
			email := string(core.NewID()) + "@example.com"
			o.user(email)
			o.reset(email)
		}
		for range 3 {
			o.start(slow)
		}
		time.Sleep(time.Minute)
		to := map[string]bool{}
		for _, message := range o.box.Sent() {
			to[message.To] = true
		}
		if sent := o.box.Sent(); len(sent) != mails || len(to) != mails {
			t.Errorf("got %d mails to %d people, want %d", len(sent), len(to), mails)
		}
		if most.Load() > 3*atOnce || most.Load() < 2 {
			t.Errorf("got %d at a time, want %d at most", most.Load(), 3*atOnce)
		}
	})
}

func TestASlowServerHoldsUpNoMoreThanItsPlaces(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		o.start(senderFunc(func(ctx context.Context, message mail.Message) error {
			if strings.HasPrefix(message.To, "slow") {
				<-ctx.Done()
				return core.Wrap(core.CodeUnavailable, ctx.Err(), "too slow")
			}
			return o.box.Send(ctx, message)
		}))
		for _, email := range []string{"slow1@example.com", "slow2@example.com", "ada@example.com"} {
			o.user(email)
			o.reset(email)
		}
		began := time.Now()
		if _, err := o.box.Await(t.Context(), "ada@example.com", 1); err != nil || time.Since(began) > time.Second {
			t.Errorf("got %v after %s, want the mail at once", err, time.Since(began))
		}
	})
}

func TestAStopWaitsForWhatIsBeingSent(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		w := o.worker(senderFunc(func(ctx context.Context, message mail.Message) error {
			time.Sleep(5 * time.Second)
			return o.box.Send(ctx, message)
		}))
		w.Start()
		o.user("ada@example.com")
		o.reset("ada@example.com")
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if err := w.Close(ctx); err != nil || len(o.box.Sent()) != 1 || o.waiting() != 0 {
			t.Errorf("got %v and %d mails, want one sent and settled", err, len(o.box.Sent()))
		}
		o.reset("ada@example.com")
		time.Sleep(time.Hour)
		if len(o.box.Sent()) != 1 {
			t.Error("got a mail sent after the stop, want none")
		}
	})
}

func TestAStopThatMayNotWaitBreaksOffAndLosesNothing(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		w := o.worker(senderFunc(func(ctx context.Context, _ mail.Message) error {
			<-ctx.Done()
			return core.Wrap(core.CodeUnavailable, ctx.Err(), "broken off")
		}))
		w.Start()
		o.user("ada@example.com")
		o.reset("ada@example.com")
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		began := time.Now()
		if err := w.Close(ctx); err == nil || time.Since(began) != 3*time.Second {
			t.Errorf("got %v after %s, want the context's error after 3s", err, time.Since(began))
		}
		o.start(o.box)
		if _, err := o.box.Await(t.Context(), "ada@example.com", 1); err != nil {
			t.Error(err)
		}
	})
}

func TestWhatWasSentInTheLastMomentIsNotSentAgain(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		w := o.worker(senderFunc(func(ctx context.Context, message mail.Message) error {
			<-ctx.Done()
			return o.box.Send(context.WithoutCancel(ctx), message)
		}))
		w.Start()
		o.user("ada@example.com")
		o.reset("ada@example.com")
		synctest.Wait()
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		_ = w.Close(ended)
		if sent := o.box.Sent(); len(sent) != 1 || o.waiting() != 0 {
			t.Errorf("got %d mails, want one and an empty queue", len(sent))
		}
	})
}

// TestALogOfMailsHoldsNoSecret lets every kind of mail fail in every way.
func TestALogOfMailsHoldsNoSecret(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		var mu sync.Mutex
		var secrets []string
		codes := []core.Code{core.CodeUnavailable, core.CodeValidationFailed}
		o.start(senderFunc(func(_ context.Context, message mail.Message) error {
			mu.Lock()
			defer mu.Unlock()
			secrets = append(secrets, message.To, message.Subject)
			code := codes[0]
			codes = append(codes[1:], code)
			return core.Errorf(code, "no")
		}))
		_, invitation := o.invite("grace@example.com", "Team", "Ada")
		mu.Lock()
		secrets = append(secrets, invitation.Token)
		mu.Unlock()
		o.user("ada@example.com")
		o.reset("ada@example.com")
		time.Sleep(time.Hour)
		mu.Lock()
		defer mu.Unlock()
		for _, secret := range secrets {
			if strings.Contains(o.log.String(), secret) {
				t.Errorf("got %q in the log %s", secret, o.log)
			}
		}
		if log := o.log.String(); len(secrets) < 5 || !strings.Contains(log, "gave up on a mail") || !strings.Contains(log, "trying again") {
			t.Errorf("got %d attempts and the log %s, want both kinds of failure", len(secrets), log)
		}
	})
}

func TestAStoreThatFailsIsAskedAgain(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		o.user("ada@example.com")
		o.reset("ada@example.com")
		broken := &brokenStore{Store: o.store}
		broken.down.Store(true)
		w := o.worker(o.box)
		w.Store = broken
		w.Start()
		defer func() { _ = w.Close(context.Background()) }()
		time.Sleep(time.Hour)
		if len(o.box.Sent()) != 0 || !strings.Contains(o.log.String(), "could not read the mail queue") {
			t.Errorf("got %d mails and the log %s, want the failure told", len(o.box.Sent()), o.log)
		}
		broken.down.Store(false)
		if _, err := o.box.Await(t.Context(), "ada@example.com", 1); err != nil {
			t.Error(err)
		}
	})
}

// brokenStore has a mail queue whose claims fail while it is down.
type brokenStore struct {
	storage.Store
	down atomic.Bool
}

func (s *brokenStore) Tables() storage.Tables {
	tables := s.Store.Tables()
	tables.Mails = brokenMails{tables.Mails, &s.down}
	return tables
}

type brokenMails struct {
	storage.Mails
	down *atomic.Bool
}

func (m brokenMails) Claim(ctx context.Context, now, until core.Time) (core.MailJob, error) {
	if m.down.Load() {
		return core.MailJob{}, core.Errorf(core.CodeUnavailable, "the database is gone")
	}
	return m.Mails.Claim(ctx, now, until)
}

func TestWaitsGrow(t *testing.T) {
	var waits []time.Duration
	for attempts := 1; attempts <= 11; attempts++ {
		waits = append(waits, wait(attempts))
	}
	want := []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 16 * time.Minute, 32 * time.Minute, 64 * time.Minute, 2 * time.Hour, 2 * time.Hour, 2 * time.Hour}
	if !slices.Equal(waits, want) {
		t.Errorf("got %v, want %v", waits, want)
	}
	if got := wait(1 << 30); got != maxWait {
		t.Errorf("got %s, want %s", got, maxWait)
	}
}
