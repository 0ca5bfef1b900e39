package domains

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/dns"
	"github.com/atelierhq/atelier/ports/storage"
)

const day = 24 * time.Hour

func TestAPendingClaimBecomesActiveByItself(t *testing.T) {
	inRegistry(t, func(t *testing.T, r *registry) {
		project := r.project("shop")
		claim := r.add(project, "shop.example.com")
		r.running()
		pass(10 * time.Minute)
		r.wantStatus(claim.ID, core.DomainPendingDNS)
		r.point("shop.example.com", here)
		pass(maxWait)
		r.wantStatus(claim.ID, core.DomainPendingVerification)
		r.prove(claim)
		pass(maxWait + poll)
		r.wantStatus(claim.ID, core.DomainActive)
		r.wantCustomDomain(project, "shop.example.com")
		if got, want := r.audited(), []string{"+domain.added", "-domain.verified"}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

func TestAPendingClaimIsLookedAtLessAndLess(t *testing.T) {
	inRegistry(t, func(t *testing.T, r *registry) {
		counting := countingDNS(r.DNS)
		r.Service.DNS = counting
		r.add(r.project("shop"), "shop.example.com")
		r.running()
		pass(10 * time.Minute)
		early := len(counting.TextsCalls())
		pass(day)
		late := len(counting.TextsCalls()) - early
		if early < 3 || early > 10 || late < 20 || late > 30 {
			t.Errorf("got %d checks in ten minutes and %d in a day, want a few and one an hour", early, late)
		}
	})
}

//go:generate go tool moq -out dnsmock_test.go -pkg domains ../../ports/dns Resolver:dnsMock

// countingDNS records a resolver's queries.
func countingDNS(resolver dns.Resolver) *dnsMock {
	return &dnsMock{TextsFunc: resolver.Texts, FollowFunc: resolver.Follow}
}

func TestAClaimThatNeverWasActiveLapses(t *testing.T) {
	inRegistry(t, func(t *testing.T, r *registry) {
		pending := r.add(r.project("pending"), "pending.example.com")
		blocked := r.add(r.project("blocked"), "shop.example.com")
		_, holder := r.active("holder", "shop.example.com")
		broken := r.add(r.project("broken"), "broken.example.com")
		r.dns.Set("broken.example.com", memory.DNSRecords{Broken: true})
		r.running()
		pass(lapse - maxWait)
		for _, claim := range []View{pending, blocked, broken} {
			r.stored(claim.ID)
		}
		r.wantStatus(blocked.ID, core.DomainError)
		pass(3 * maxWait)
		for _, claim := range []View{pending, blocked, broken} {
			r.wantGone(claim.ID)
		}
		r.wantStatus(holder.ID, core.DomainActive)
		if got := r.audited(); !slices.Contains(got, "-domain.lapsed") {
			t.Errorf("got %v, want the lapse recorded", got)
		}
	})
}

// countedStore calls before with the number of each transaction that is about to begin.
type countedStore struct {
	storage.Store
	begun  int
	before func(int)
}

func (s *countedStore) InTx(ctx context.Context, do func(context.Context, storage.Tables) error) error {
	s.begun++
	s.before(s.begun)
	return s.Store.InTx(ctx, do)
}

func TestAClaimThatIsProvenAsItLapsesStays(t *testing.T) {
	inRegistry(t, func(t *testing.T, r *registry) {
		project := r.project("shop")
		claim := r.add(project, "shop.example.com")
		pass(lapse + poll)
		store := r.Service.Store
		r.Service.Store = &countedStore{Store: store, before: func(n int) {
			// The first stores that DNS had no answer, the second removes the claim.
			if n != 2 {
				return
			}
			r.Service.Store = store
			r.point(claim.Name, here)
			r.prove(claim)
			if _, err := r.Verify(t.Context(), r.admin, claim.ID); err != nil {
				t.Error(err)
			}
		}}
		r.must(r.check(r.stored(claim.ID)))
		r.wantStatus(claim.ID, core.DomainActive)
		r.wantCustomDomain(project, "shop.example.com")
	})
}

func TestAnActiveDomainIsLookedAtDaily(t *testing.T) {
	inRegistry(t, func(t *testing.T, r *registry) {
		counting := countingDNS(r.DNS)
		r.active("shop", "shop.example.com")
		r.Service.DNS = counting
		r.running()
		pass(10 * day)
		if got := len(counting.TextsCalls()); got < 9 || got > 10 {
			t.Errorf("got %d checks in ten days, want one a day", got)
		}
	})
}

func TestAnActiveDomainThatLosesItsRecordsIsGivenTime(t *testing.T) {
	for says, lose := range map[string]func(r *registry, claim View){
		"the proof":      func(r *registry, claim View) { r.dns.Set(claim.TXTName, memory.DNSRecords{}) },
		"the way here":   func(r *registry, claim View) { r.point(claim.Name, elsewhere) },
		"where it leads": func(r *registry, claim View) { r.point(claim.Name) },
		"the proof to theft": func(r *registry, claim View) {
			r.dns.Set(claim.TXTName, memory.DNSRecords{Texts: []string{"atelier-verify=X"}})
		},
	} {
		t.Run(says, func(t *testing.T) {
			inRegistry(t, func(t *testing.T, r *registry) {
				project, claim := r.active("shop", "shop.example.com")
				r.running()
				lose(r, claim)
				pass(day + poll)
				r.wantStatus(claim.ID, core.DomainActive)
				r.wantCustomDomain(project, "shop.example.com")
				if got := r.stored(claim.ID); !strings.Contains(got.Message, "soon no longer be served") || got.FailingSince == nil {
					t.Errorf("got %+v, want a warning", got)
				}
				pass(2 * day)
				r.wantStatus(claim.ID, core.DomainActive)
				pass(day + failingRecheck + poll)
				r.wantStatus(claim.ID, core.DomainError)
				r.wantCustomDomain(project, "")
				if got := r.audited(); got[len(got)-1] != "-domain.failed" {
					t.Errorf("got %v, want the end recorded", got)
				}

				r.prove(claim)
				r.point("shop.example.com", here)
				pass(day + poll)
				r.wantStatus(claim.ID, core.DomainActive)
				r.wantCustomDomain(project, "shop.example.com")
			})
		})
	}
}

func TestAMistakeThatIsMendedInTimeChangesNothing(t *testing.T) {
	inRegistry(t, func(t *testing.T, r *registry) {
		project, claim := r.active("shop", "shop.example.com")
		r.running()
		for range 4 {
			r.point("shop.example.com", elsewhere)
			pass(2 * day)
			r.point("shop.example.com", here)
			pass(day)
		}
		r.wantStatus(claim.ID, core.DomainActive)
		r.wantCustomDomain(project, "shop.example.com")
		if got := r.stored(claim.ID); got.FailingSince != nil || got.Message != "" {
			t.Errorf("got %+v, want nothing left of it", got)
		}
	})
}

func TestNameServersThatDoNotAnswerEndNothing(t *testing.T) {
	inRegistry(t, func(t *testing.T, r *registry) {
		_, claim := r.active("shop", "shop.example.com")
		r.running()
		r.dns.Set("shop.example.com", memory.DNSRecords{Broken: true})
		r.dns.Set(claim.TXTName, memory.DNSRecords{Broken: true})
		pass(8 * day)
		r.wantStatus(claim.ID, core.DomainActive)
		if got := r.stored(claim.ID).Message; !strings.Contains(got, "do not answer") {
			t.Errorf("got %q, want it to say so", got)
		}
	})
}

func TestANameGoesOverToItsNextOwner(t *testing.T) {
	inRegistry(t, func(t *testing.T, r *registry) {
		before, old := r.active("before", "shop.example.com")
		after := r.project("after")
		r.running()
		r.dns.Set(old.TXTName, memory.DNSRecords{})
		pass(day)
		_, err := r.Add(t.Context(), r.admin, after, "shop.example.com")
		r.wantCode(err, core.CodeDomainTaken)
		pass(4 * day)
		next := r.add(after, "shop.example.com")
		r.prove(next)
		r.wantStatus(r.verify(next).ID, core.DomainActive)
		pass(2 * day)
		r.wantStatus(old.ID, core.DomainError)
		r.wantCustomDomain(before, "")
		r.wantCustomDomain(after, "shop.example.com")
	})
}

func TestADeletedProjectGetsNoDomain(t *testing.T) {
	inRegistry(t, func(t *testing.T, r *registry) {
		project := r.project("shop")
		claim := r.add(project, "shop.example.com")
		at := core.At(time.Now())
		_, err := r.Store.Tables().Projects.Update(t.Context(), project, func(p *core.Project) error {
			p.DeletedAt = &at
			return nil
		})
		r.must(err)
		r.prove(claim)
		r.point("shop.example.com", here)
		r.running()
		pass(day)
		r.wantStatus(claim.ID, core.DomainPendingDNS)
		r.wantCustomDomain(project, "")
	})
}

func TestAClaimThatIsRemovedWhileItIsLookedAt(t *testing.T) {
	inRegistry(t, func(t *testing.T, r *registry) {
		claim := r.add(r.project("shop"), "shop.example.com")
		slow := &slowDNS{Resolver: r.DNS, began: make(chan struct{}, 8), goOn: make(chan struct{})}
		r.Service.DNS = slow
		r.running()
		<-slow.began
		r.must(r.Remove(t.Context(), r.admin, claim.ID))
		close(slow.goOn)
		synctest.Wait()
		r.wantGone(claim.ID)
	})
}

// slowDNS waits before it answers.
type slowDNS struct {
	dns.Resolver
	began, goOn chan struct{}
}

func (s *slowDNS) Follow(ctx context.Context, name string) (dns.Route, error) {
	s.began <- struct{}{}
	select {
	case <-s.goOn:
	case <-ctx.Done():
	}
	return s.Resolver.Follow(ctx, name)
}

func TestCloseBreaksALookupOffAndStoresNothingOfIt(t *testing.T) {
	inRegistry(t, func(t *testing.T, r *registry) {
		_, claim := r.active("shop", "shop.example.com")
		before := r.stored(claim.ID)
		slow := &slowDNS{Resolver: r.DNS, began: make(chan struct{}, 8), goOn: make(chan struct{})}
		r.Service.DNS = slow
		r.Start()
		<-slow.began
		r.must(r.Close(t.Context()))
		after := r.stored(claim.ID)
		before.CheckAt, after.CheckAt = 0, 0
		if before.Status != after.Status || *before.CheckedAt != *after.CheckedAt {
			t.Errorf("got %+v, want %+v", after, before)
		}
	})
}

func TestManyClaimsAreLookedAtSomeAtATime(t *testing.T) {
	inRegistry(t, func(t *testing.T, r *registry) {
		project := r.project("shop")
		for i := range 10 {
			r.add(project, string(rune('a'+i))+".example.com")
		}
		slow := &slowDNS{Resolver: r.DNS, began: make(chan struct{}, 100), goOn: make(chan struct{})}
		r.Service.DNS = slow
		r.running()
		pass(firstWait + time.Second)
		if got := len(slow.began); got != atOnce {
			t.Errorf("got %d at a time, want %d", got, atOnce)
		}
		close(slow.goOn)
		pass(poll)
		if got := len(slow.began); got < 20 {
			t.Errorf("got %d look-ups, want all claims looked at", got)
		}
	})
}

func TestADatabaseThatIsAwayIsAskedAgain(t *testing.T) {
	inRegistry(t, func(t *testing.T, r *registry) {
		claim := r.add(r.project("shop"), "shop.example.com")
		r.prove(claim)
		r.point("shop.example.com", here)
		var away atomic.Bool
		away.Store(true)
		r.Service.Store = faultyStore{r.Store, away.Load}
		r.running()
		pass(10 * time.Minute)
		r.wantStatus(claim.ID, core.DomainPendingDNS)
		away.Store(false)
		pass(poll)
		r.wantStatus(claim.ID, core.DomainActive)
	})
}

func TestTooManyChecksWaitForTheirTurn(t *testing.T) {
	inRegistry(t, func(t *testing.T, r *registry) {
		claim := r.add(r.project("shop"), "shop.example.com")
		for range maxChecks {
			r.semaphore <- struct{}{}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := r.Verify(ctx, r.admin, claim.ID)
		r.wantCode(err, core.CodeUnavailable)
	})
}

func TestAddressesOfAMessageAreBounded(t *testing.T) {
	var many []netip.Addr
	for range 100 {
		many = append(many, elsewhere)
	}
	if got := listOf(many); len(got) > 100 || !strings.HasSuffix(got, "…") {
		t.Errorf("got %q, want a few", got)
	}
}
