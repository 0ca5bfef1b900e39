package projects

import (
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func dataClaimClauses() []clause {
	return []clause{
		{"a claim is in force until it ends", dataClaimEnds},
		{"an owner that claims again has a new token", dataClaimAgain},
		{"a claim is renewed until another has taken it", dataClaimRenewed},
		{"a released claim is free, and its token is not used again", dataClaimReleased},
		{"a forgotten claim begins anew", dataClaimForgotten},
		{"of parallel claims one is in force", dataClaimsInParallel},
		{"a claim has text that can be stored", dataClaimText},
	}
}

func newDataClaim(project core.ID, until core.Time) core.DataClaim {
	return core.DataClaim{ProjectID: project, Owner: core.NewID(), Address: "10.0.0.1:4000", HeldUntil: until}
}

func wantClaim(s testCase, claim core.DataClaim, now core.Time, want core.DataClaim) {
	s.Helper()
	got, err := s.DataClaims.Claim(s.Context(), claim, now)
	s.Want(got, err, want)
}

func dataClaimEnds(s testCase) {
	project := core.NewID()
	one, two := newDataClaim(project, 100), newDataClaim(project, 200)
	two.Address = "10.0.0.2:4000"
	one.Token, two.Token = 1, 2
	wantClaim(s, one, 1, one)
	wantClaim(s, two, 100, one)
	wantClaim(s, two, 101, two)
	wantClaim(s, one, 101, two)
}

func dataClaimAgain(s testCase) {
	claim := newDataClaim(core.NewID(), 100)
	for token := range int64(3) {
		claim.Token = token + 1
		wantClaim(s, claim, 1, claim)
	}
}

func dataClaimRenewed(s testCase) {
	one, two := newDataClaim(core.NewID(), 100), newDataClaim(core.NewID(), 100)
	two.Owner = one.Owner
	one.Token, two.Token = 1, 1
	wantClaim(s, one, 1, one)
	wantClaim(s, two, 1, two)
	held, err := s.DataClaims.Renew(s.Context(), one.Owner, 300)
	s.Want(len(held), err, 2)
	s.Want(held[0] < held[1], nil, true)
	other := newDataClaim(one.ProjectID, 500)
	one.HeldUntil = 300
	wantClaim(s, other, 200, one)
	other.Token = 2
	wantClaim(s, other, 301, other)
	held, err = s.DataClaims.Renew(s.Context(), one.Owner, 400)
	s.Want(held, err, []core.ID{two.ProjectID})
	held, err = s.DataClaims.Renew(s.Context(), core.NewID(), 400)
	s.Want(len(held), err, 0)
	_, err = s.DataClaims.Renew(s.Ended(), one.Owner, 400)
	s.WantCode(err, core.CodeUnavailable)
}

func dataClaimReleased(s testCase) {
	one := newDataClaim(core.NewID(), 100)
	one.Token = 1
	wantClaim(s, one, 1, one)
	other := newDataClaim(one.ProjectID, 100)
	s.Must(s.DataClaims.Release(s.Context(), one.ProjectID, other.Owner))
	wantClaim(s, other, 1, one)
	s.Must(s.DataClaims.Release(s.Context(), one.ProjectID, one.Owner))
	held, err := s.DataClaims.Renew(s.Context(), one.Owner, 400)
	s.Want(len(held), err, 0)
	other.Token = 2
	wantClaim(s, other, 1, other)
	s.Must(s.DataClaims.Release(s.Context(), core.NewID(), other.Owner))
	s.WantCode(s.DataClaims.Release(s.Ended(), one.ProjectID, other.Owner), core.CodeUnavailable)
}

func dataClaimForgotten(s testCase) {
	one := newDataClaim(core.NewID(), 100)
	one.Token = 1
	wantClaim(s, one, 1, one)
	other := newDataClaim(one.ProjectID, 100)
	s.Must(s.DataClaims.Forget(s.Context(), one.ProjectID, other.Owner))
	wantClaim(s, other, 1, one)
	s.Must(s.DataClaims.Forget(s.Context(), one.ProjectID, one.Owner))
	other.Token = 1
	wantClaim(s, other, 1, other)
	s.WantCode(s.DataClaims.Forget(s.Ended(), one.ProjectID, other.Owner), core.CodeUnavailable)
}

func dataClaimsInParallel(s testCase) {
	project := core.NewID()
	var mu sync.Mutex
	inForce := map[core.DataClaim]int{}
	fixture.Together(8, func(int) {
		got, err := s.DataClaims.Claim(s.Context(), newDataClaim(project, 100), 1)
		if err != nil {
			s.Errorf("got %v, want nil", err)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		inForce[got]++
	})
	if len(inForce) != 1 {
		s.Errorf("got %d claims in force, want 1: %v", len(inForce), inForce)
	}
}

func dataClaimText(s testCase) {
	for _, text := range fixture.Unstorable() {
		for _, spoil := range []func(*core.DataClaim){
			func(c *core.DataClaim) { c.ProjectID = core.ID(text) },
			func(c *core.DataClaim) { c.Owner = core.ID(text) },
			func(c *core.DataClaim) { c.Address = text },
		} {
			claim := newDataClaim(core.NewID(), 100)
			spoil(&claim)
			_, err := s.DataClaims.Claim(s.Context(), claim, 1)
			s.WantCode(err, core.CodeValidationFailed)
		}
	}
	_, err := s.DataClaims.Claim(s.Ended(), newDataClaim(core.NewID(), 100), 1)
	s.WantCode(err, core.CodeUnavailable)
}
