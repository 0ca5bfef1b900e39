package domains

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
)

func TestAClaimSaysWhatToDo(t *testing.T) {
	r := newRegistry(t)
	project := r.project("shop")
	claim := r.add(project, "Shop.Example.com.")
	if claim.Name != "shop.example.com" || claim.Status != core.DomainPendingDNS || claim.ProjectID != project {
		t.Errorf("got %+v, want a pending claim of the name in its one spelling", claim)
	}
	if claim.TXTName != "_atelier-verify.shop.example.com" || !strings.HasPrefix(claim.TXTValue, "atelier-verify=") || claim.Target != "shop.sites.test" {
		t.Errorf("got %q %q %q, want the record and where to lead", claim.TXTName, claim.TXTValue, claim.Target)
	}
	for _, part := range []string{claim.TXTName, claim.TXTValue, claim.Target} {
		if !strings.Contains(claim.Message, part) {
			t.Errorf("got %q, want it to name %q", claim.Message, part)
		}
	}
	again := r.add(r.project("other"), "shop.example.com")
	if again.TXTValue == claim.TXTValue || len(again.Token) < 26 {
		t.Errorf("got %q and %q, want values of their own that nobody guesses", again.TXTValue, claim.TXTValue)
	}
	published := r.project("mine", func(p *core.Project) { p.PublishedSlug = new("theirs") })
	if got := r.add(published, "a.example.com").Target; got != "theirs.sites.test" {
		t.Errorf("got %q, want the address that the site has", got)
	}
}

func TestNamesThatNobodyMayClaim(t *testing.T) {
	r := newRegistry(t)
	project := r.project("shop")
	for _, name := range []string{
		"", "com", "co.uk", "CO.UK.", "127.0.0.1", "*.example.com", "shop.example.com:80", "https://shop.example.com", "shop.localhost",
		"sites.test", "x.sites.test", "shop.SITES.test", "a.b.preview.sites.test", "studio.test", "api.studio.test", "STUDIO.TEST.",
		"büch\u00adẞer.example", "xn--bcher-kvb.example", "xn--.example", "xn--a.example", "例え.invalid", "shop。sites.test",
		strings.Repeat("a", 64) + ".example", strings.Repeat("a.", 150) + "example",
	} {
		_, err := r.Add(t.Context(), r.admin, project, name)
		if !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), "domain must") {
			t.Errorf("%q: got %v, want %s that names the field and the rule", name, err, core.CodeValidationFailed)
		}
	}
	for name, want := range map[string]string{"Bücher.example": "xn--bcher-kva.example", "mysites.test": "mysites.test"} {
		if got := r.add(project, name).Name; got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
	_, err := r.Add(t.Context(), r.admin, project, "xn--bcher-kva.example")
	r.wantCode(err, core.CodeConflict)
}

func TestAProjectClaimsABoundedNumberOfDomains(t *testing.T) {
	r := newRegistry(t)
	project := r.project("shop")
	for i := range core.MaxDomains {
		r.add(project, fmt.Sprintf("a%d.example.com", i))
	}
	_, err := r.Add(t.Context(), r.admin, project, "more.example.com")
	r.wantCode(err, core.CodeConflict)
	views, err := r.List(t.Context(), r.admin, project)
	if err != nil || len(views) != core.MaxDomains || views[0].Name != "a0.example.com" || views[0].TXTValue == "" {
		t.Errorf("got %d, %v, want the oldest first", len(views), err)
	}
}

func TestOnlyAdminsChangeDomains(t *testing.T) {
	r := newRegistry(t)
	project := r.project("shop", func(p *core.Project) { p.Visibility = core.VisibilityPublic })
	claim := r.add(project, "shop.example.com")
	for role, want := range map[core.Role]core.Code{core.RoleMember: core.CodeForbidden, core.RoleNone: core.CodeNotFound} {
		by := r.person(role)
		_, err := r.Add(t.Context(), by, project, "b.example.com")
		r.wantCode(err, want)
		_, err = r.Verify(t.Context(), by, claim.ID)
		r.wantCode(err, want)
		r.wantCode(r.Remove(t.Context(), by, claim.ID), want)
		_, err = r.List(t.Context(), by, project)
		if role == core.RoleMember {
			r.must(err)
		} else {
			r.wantCode(err, core.CodeNotFound)
		}
	}
	_, err := r.Verify(t.Context(), r.admin, core.NewID())
	r.wantCode(err, core.CodeNotFound)
	r.wantCode(r.Remove(t.Context(), r.admin, core.NewID()), core.CodeNotFound)
	token := core.Actor{UserID: r.admin.UserID, Token: true, Scopes: []core.Scope{core.ScopeProjectsWrite}}
	_, err = r.List(t.Context(), token, project)
	r.wantCode(err, core.CodeInsufficientScope)
}

// TestVerify covers the possible states of a claim in DNS.
func TestVerify(t *testing.T) {
	for _, row := range []struct {
		says            string
		points, proves  memory.DNSRecords
		want            core.DomainStatus
		message, lacks  string
		provesWithToken bool
	}{
		{says: "nothing", want: core.DomainPendingDNS, message: "CNAME"},
		{says: "that it leads elsewhere", points: memory.DNSRecords{Addresses: []netip.Addr{elsewhere}}, want: core.DomainPendingDNS, message: elsewhere.String()},
		{says: "that it leads here and elsewhere", points: memory.DNSRecords{Addresses: []netip.Addr{here, elsewhere}}, provesWithToken: true,
			want: core.DomainPendingDNS, message: "192.0.2.1 and no others", lacks: "TXT"},
		{says: "that it leads here", points: memory.DNSRecords{Addresses: []netip.Addr{here}}, want: core.DomainPendingVerification, message: "TXT", lacks: "CNAME"},
		{says: "that it is an alias of a site", points: memory.DNSRecords{Alias: "other.sites.test"}, want: core.DomainPendingVerification, message: "TXT", lacks: "CNAME"},
		{says: "that it is an alias of the sites' domain", points: memory.DNSRecords{Alias: "sites.test"}, want: core.DomainPendingVerification, message: "TXT"},
		{says: "that it is an alias of one that looks like a site", points: memory.DNSRecords{Alias: "shop.evilsites.test"}, want: core.DomainPendingDNS, message: "CNAME"},
		{says: "another claim's proof", points: memory.DNSRecords{Addresses: []netip.Addr{here}}, proves: memory.DNSRecords{Texts: []string{"atelier-verify=OTHER"}},
			want: core.DomainPendingVerification, message: "TXT"},
		{says: "the proof, but not where it leads", provesWithToken: true, want: core.DomainPendingDNS, message: "CNAME", lacks: "TXT"},
		{says: "nothing at all of either", points: memory.DNSRecords{Broken: true}, proves: memory.DNSRecords{Broken: true}, want: core.DomainPendingDNS, message: "do not answer"},
		{says: "where it leads, and nothing of the proof", points: memory.DNSRecords{Addresses: []netip.Addr{here}}, proves: memory.DNSRecords{Broken: true},
			want: core.DomainPendingVerification, message: "do not answer"},
		{says: "the proof, and nothing of where it leads", points: memory.DNSRecords{Broken: true}, provesWithToken: true, want: core.DomainPendingDNS, message: "do not answer", lacks: "TXT"},
		{says: "both", points: memory.DNSRecords{Addresses: []netip.Addr{here}}, provesWithToken: true, want: core.DomainActive},
		{says: "both, by an alias", points: memory.DNSRecords{Alias: "shop.sites.test"}, provesWithToken: true, want: core.DomainActive},
	} {
		t.Run(row.says, func(t *testing.T) {
			r := newRegistry(t)
			project := r.project("shop")
			claim := r.add(project, "shop.example.com")
			r.dns.Set("shop.example.com", row.points)
			r.dns.Set(claim.TXTName, row.proves)
			if row.provesWithToken {
				r.prove(claim)
			}
			got := r.verify(claim)
			if got.Status != row.want || !strings.Contains(got.Message, row.message) || row.lacks != "" && strings.Contains(got.Message, row.lacks) {
				t.Errorf("got %s %q, want %s with %q and without %q", got.Status, got.Message, row.want, row.message, row.lacks)
			}
			active := row.want == core.DomainActive
			if (got.Message == "") != active || (got.VerifiedAt != nil) != active || got.CheckedAt == nil {
				t.Errorf("got %q, verified %v, checked %v", got.Message, got.VerifiedAt, got.CheckedAt)
			}
			want := ""
			if active {
				want = "shop.example.com"
			}
			r.wantCustomDomain(project, want)
		})
	}
}

func TestADomainThatBecomesActiveIsToldOf(t *testing.T) {
	r := newRegistry(t)
	project := r.project("shop")
	notices, err := r.bus.Follow(t.Context(), project)
	r.must(err)
	claim := r.add(project, "shop.example.com")
	r.verify(claim)
	r.prove(claim)
	r.point("shop.example.com", here)
	r.verify(claim)
	r.verify(claim)
	r.must(r.Remove(t.Context(), r.admin, claim.ID))
	for range 2 {
		if got := <-notices; got.Kind != core.NoticeProject {
			t.Errorf("got %s, want %s", got.Kind, core.NoticeProject)
		}
	}
	select {
	case got := <-notices:
		t.Errorf("got a third notice %+v, want one for each change", got)
	default:
	}
	if got, want := r.audited(), []string{"+domain.added", "+domain.verified", "+domain.removed"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	r.wantCustomDomain(project, "")
	r.wantGone(claim.ID)
}

func TestTheFirstVerifiedClaimHoldsAName(t *testing.T) {
	r := newRegistry(t)
	early := r.add(r.project("early"), "shop.example.com")
	first, claim := r.active("first", "shop.example.com")
	_, err := r.Add(t.Context(), r.admin, r.project("late"), "shop.example.com")
	r.wantCode(err, core.CodeDomainTaken)
	r.prove(claim, early)
	_, err = r.Verify(t.Context(), r.admin, early.ID)
	r.wantCode(err, core.CodeDomainTaken)
	r.wantStatus(early.ID, core.DomainError)
	if got := r.stored(early.ID).Message; !strings.Contains(got, "another project has") {
		t.Errorf("got %q, want it to say who is in the way", got)
	}
	r.wantStatus(claim.ID, core.DomainActive)
	r.wantCustomDomain(first, "shop.example.com")
	r.wantCustomDomain(early.ProjectID, "")

	r.must(r.Remove(t.Context(), r.admin, claim.ID))
	if got := r.verify(early); got.Status != core.DomainActive {
		t.Errorf("got %s %q, want the name free for another", got.Status, got.Message)
	}
}

func TestOfParallelVerificationsOneWins(t *testing.T) {
	r := newRegistry(t)
	claims := make([]View, 8)
	for i := range claims {
		claims[i] = r.add(r.project(fmt.Sprintf("p%d", i)), "shop.example.com")
	}
	r.prove(claims...)
	r.point("shop.example.com", here)
	var all sync.WaitGroup
	var mu sync.Mutex
	codes := map[core.Code]int{}
	for _, claim := range claims {
		all.Go(func() {
			_, err := r.Verify(t.Context(), r.admin, claim.ID)
			mu.Lock()
			defer mu.Unlock()
			codes[core.CodeOf(err)]++
		})
	}
	all.Wait()
	if codes[""] != 1 || codes[core.CodeDomainTaken] != len(claims)-1 {
		t.Errorf("got %v, want one winner and %d times %s", codes, len(claims)-1, core.CodeDomainTaken)
	}
	active := 0
	for _, claim := range claims {
		project, err := r.Store.Tables().Projects.ByID(t.Context(), claim.ProjectID)
		r.must(err)
		if project.CustomDomain != nil {
			active++
		}
	}
	if active != 1 {
		t.Errorf("got %d projects with the domain, want 1", active)
	}
}

func TestVerifyIsBounded(t *testing.T) {
	inRegistry(t, func(t *testing.T, r *registry) {
		claim, other := r.add(r.project("shop"), "shop.example.com"), r.add(r.project("other"), "other.example.com")
		for range maxVerifies {
			r.verify(claim)
		}
		_, err := r.Verify(t.Context(), r.admin, claim.ID)
		r.wantCode(err, core.CodeRateLimited)
		if known, ok := err.(*core.Error); !ok || known.RetryAfter <= 0 || known.RetryAfter > paceWindow {
			t.Errorf("got %+v, want when to try again", err)
		}
		r.verify(other)
		pass(paceWindow)
		r.verify(claim)
	})
}

func TestPaceForgets(t *testing.T) {
	inRegistry(t, func(t *testing.T, r *registry) {
		for range maxPaced {
			r.must(r.pace.take(core.NewID()))
		}
		pass(paceWindow)
		r.must(r.pace.take(core.NewID()))
		if got := len(r.pace.projects); got != 1 {
			t.Errorf("got %d projects remembered, want 1", got)
		}
	})
}

func TestADeletedProjectsDomainsAreKeptAndNotFound(t *testing.T) {
	r := newRegistry(t)
	project, claim := r.active("shop", "shop.example.com")
	now := core.At(time.Now())
	mark := func(at *core.Time) {
		_, err := r.Store.Tables().Projects.Update(t.Context(), project, func(p *core.Project) error {
			p.DeletedAt = at
			return nil
		})
		r.must(err)
	}
	mark(&now)
	_, err := r.List(t.Context(), r.admin, project)
	r.wantCode(err, core.CodeNotFound)
	_, err = r.Verify(t.Context(), r.admin, claim.ID)
	r.wantCode(err, core.CodeNotFound)
	_, err = r.Add(t.Context(), r.admin, r.project("other"), "shop.example.com")
	r.wantCode(err, core.CodeDomainTaken)
	mark(nil)
	views, err := r.List(t.Context(), r.admin, project)
	if err != nil || len(views) != 1 || views[0].Status != core.DomainActive {
		t.Errorf("got %+v, %v, want the domain as it was", views, err)
	}
	r.must(r.Store.Tables().Projects.Delete(t.Context(), project))
	r.wantGone(claim.ID)
	r.add(r.project("next"), "shop.example.com")
}

// TestAServiceWhoseOwnNamesCannotBeLookedUp accepts a domain as an alias of a
// site's name, and explains what is wrong with one that has addresses.
func TestAServiceWhoseOwnNamesCannotBeLookedUp(t *testing.T) {
	r := newRegistry(t)
	claim := r.add(r.project("shop"), "shop.example.com")
	r.prove(claim)
	r.dns.Set("shop.sites.test", memory.DNSRecords{Broken: true})
	if got := r.verify(claim); got.Status != core.DomainPendingDNS || !strings.Contains(got.Message, "CNAME") {
		t.Errorf("got %s %q, want what to do", got.Status, got.Message)
	}
	r.point("shop.example.com", here)
	if got := r.verify(claim); got.Status != core.DomainPendingDNS || !strings.Contains(got.Message, "the addresses of this service cannot be looked up") {
		t.Errorf("got %s %q, want what is the matter", got.Status, got.Message)
	}
	r.dns.Set("shop.example.com", memory.DNSRecords{Alias: "shop.sites.test"})
	r.dns.Set("shop.sites.test", memory.DNSRecords{})
	if got := r.verify(claim); got.Status != core.DomainActive {
		t.Errorf("got %s %q, want the alias enough", got.Status, got.Message)
	}
}
