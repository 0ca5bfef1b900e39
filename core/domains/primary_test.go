package domains

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// more makes another claim of the project active.
func (r *registry) more(project core.ID, name string) View {
	r.t.Helper()
	claim := r.add(project, name)
	r.prove(claim)
	r.point(name, here)
	claim = r.verify(claim)
	r.wantStatus(claim.ID, core.DomainActive)
	return claim
}

func TestOfSeveralActiveDomainsOneIsPrimary(t *testing.T) {
	r := newRegistry(t)
	project, first := r.active("shop", "shop.example.com")
	second, third := r.more(project, "www.example.com"), r.more(project, "shop.example.org")
	if !first.Primary || second.Primary || third.Primary {
		t.Errorf("got %v %v %v, want the first primary alone", first.Primary, second.Primary, third.Primary)
	}
	r.wantCustomDomain(project, "shop.example.com")

	chosen, err := r.MakePrimary(t.Context(), r.admin, third.ID)
	r.must(err)
	if !chosen.Primary || chosen.ID != third.ID {
		t.Errorf("got %+v, want the chosen domain, primary", chosen)
	}
	r.wantCustomDomain(project, "shop.example.org")
	_, err = r.MakePrimary(t.Context(), r.admin, third.ID)
	r.must(err)
	if got := r.verify(first); got.Primary {
		t.Error("got a domain that was looked at primary, want the choice to stay")
	}

	r.must(r.Remove(t.Context(), r.admin, second.ID))
	r.wantCustomDomain(project, "shop.example.org")
	r.must(r.Remove(t.Context(), r.admin, third.ID))
	r.wantCustomDomain(project, "shop.example.com")
	r.must(r.Remove(t.Context(), r.admin, first.ID))
	r.wantCustomDomain(project, "")
	want := []string{
		"+domain.added", "+domain.verified", "+domain.added", "+domain.verified", "+domain.added", "+domain.verified",
		"+domain.primary", "+domain.removed", "+domain.removed", "+domain.removed",
	}
	if got := r.audited(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestOnlyAnActiveDomainBecomesPrimary(t *testing.T) {
	r := newRegistry(t)
	project, _ := r.active("shop", "shop.example.com")
	pending := r.add(project, "www.example.com")
	_, err := r.MakePrimary(t.Context(), r.admin, pending.ID)
	r.wantCode(err, core.CodeConflict)
	r.wantCustomDomain(project, "shop.example.com")
	_, err = r.MakePrimary(t.Context(), r.person(core.RoleMember), pending.ID)
	r.wantCode(err, core.CodeForbidden)
	for _, by := range []core.Actor{r.person(core.RoleNone), r.admin} {
		_, err = r.MakePrimary(t.Context(), by, core.NewID())
		r.wantCode(err, core.CodeNotFound)
	}
}

// TestThePrimaryDomainIsActiveWhateverHappensAtOnce removes and chooses a project's
// domains in parallel.
func TestThePrimaryDomainIsActiveWhateverHappensAtOnce(t *testing.T) {
	r := newRegistry(t)
	project, first := r.active("shop", "a.example.com")
	claims := []View{first}
	for i := range 5 {
		claims = append(claims, r.more(project, fmt.Sprintf("b%d.example.com", i)))
	}
	var all sync.WaitGroup
	for i, claim := range claims[:5] {
		all.Go(func() { r.must(r.Remove(t.Context(), r.admin, claim.ID)) })
		all.Go(func() {
			_, err := r.MakePrimary(t.Context(), r.admin, claims[i+1].ID)
			if err != nil && !core.IsCode(err, core.CodeNotFound) {
				t.Errorf("got %v, want nil or %s", err, core.CodeNotFound)
			}
		})
	}
	all.Wait()
	r.wantCustomDomain(project, claims[5].Name)
}
