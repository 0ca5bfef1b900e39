package domains

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
)

const (
	// lookTime bounds one check of a claim.
	lookTime = 20 * time.Second
	// maxChecks is how many checks a process makes at a time.
	maxChecks = 16
	// maxShown is how many addresses a message lists.
	maxShown = 4
)

// verdict is the result for one record that a claim needs.
type verdict int

const (
	// unknown: name servers did not answer.
	unknown verdict = iota
	missing
	present
)

// finding is the result of a claim's check in DNS.
type finding struct {
	// pointing says whether the name points here, proof whether the record exists.
	pointing, proof verdict
	// leads are the addresses of the name, here those of this service.
	leads, here []netip.Addr
	// troubles say why a look-up failed.
	troubles []string
}

// complete reports whether a claim with this finding is active.
func (f finding) complete() bool { return f.pointing == present && f.proof == present }

// lacking reports whether a record is certainly missing.
func (f finding) lacking() bool { return f.pointing == missing || f.proof == missing }

// checks returns the finding in the form for people.
func (f finding) checks() *core.DomainChecks {
	named := map[verdict]core.DomainCheck{unknown: core.DomainCheckUnknown, missing: core.DomainCheckMissing, present: core.DomainCheckPresent}
	return &core.DomainChecks{Pointing: named[f.pointing], Proof: named[f.proof], LeadsTo: textsOf(f.leads), Addresses: textsOf(f.here)}
}

// textsOf returns the first few addresses as texts.
func textsOf(addrs []netip.Addr) []string {
	texts := []string{}
	for _, addr := range addrs[:min(len(addrs), maxShown)] {
		texts = append(texts, addr.String())
	}
	return texts
}

// look looks up a claim in DNS. It fails only if it cannot begin.
func (s *Service) look(ctx context.Context, claim core.Domain, target string) (finding, error) {
	select {
	case s.semaphore <- struct{}{}:
	case <-ctx.Done():
		return finding{}, core.Wrap(core.CodeUnavailable, ctx.Err(), "too many domains are being checked: try again in a minute")
	}
	defer func() { <-s.semaphore }()
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	var pointing, proof finding
	var both sync.WaitGroup
	both.Go(func() { proof = s.lookForProof(ctx, claim) })
	pointing = s.lookWhereItPoints(ctx, claim, target)
	both.Wait()
	pointing.proof = proof.proof
	pointing.troubles = append(pointing.troubles, proof.troubles...)
	return pointing, nil
}

func (s *Service) lookForProof(ctx context.Context, claim core.Domain) finding {
	texts, err := s.DNS.Texts(ctx, claim.ProofName())
	switch {
	case err != nil:
		return finding{troubles: []string{messageOf(err)}}
	case slices.Contains(texts, claim.ProofValue()):
		return finding{proof: present}
	}
	return finding{proof: missing}
}

// lookWhereItPoints follows the name. It points here if it is an alias of any
// site's name, even a former one, or if it has addresses of the site's name and no
// others.
func (s *Service) lookWhereItPoints(ctx context.Context, claim core.Domain, target string) finding {
	route, err := s.DNS.Follow(ctx, claim.Name)
	if err != nil {
		return finding{troubles: []string{messageOf(err)}}
	}
	for _, name := range route.Names[1:] {
		if core.DomainWithin(name, s.Rules.AppDomain) {
			return finding{pointing: present}
		}
	}
	found := finding{pointing: missing, leads: route.Addresses}
	site, err := s.DNS.Follow(ctx, target)
	if err != nil && len(route.Addresses) > 0 {
		found.pointing = unknown
		found.troubles = []string{"the addresses of this service cannot be looked up: " + messageOf(err)}
	}
	if err != nil {
		return found
	}
	found.here = site.Addresses
	elsewhere := func(addr netip.Addr) bool { return !slices.Contains(site.Addresses, addr) }
	if len(route.Addresses) > 0 && !slices.ContainsFunc(route.Addresses, elsewhere) {
		found.pointing = present
	}
	return found
}

func messageOf(err error) string {
	if known, ok := errors.AsType[*core.Error](err); ok {
		return known.Message
	}
	return "the look-up failed"
}

// advise says what to do so that a claim with this finding becomes or stays active.
// For an active claim it only names what is certainly missing, because its owner
// has done the rest before.
func advise(claim core.Domain, found finding, target string) string {
	lacks := func(what verdict) bool { return what == missing || what == unknown && !claim.Holds() }
	var parts []string
	if lacks(found.pointing) {
		part := "point " + claim.Name + " to this service, by a CNAME record with the value " + target
		if len(found.here) > 0 {
			part += ", or, if the name cannot have a CNAME record, by address records for " + listOf(found.here)
		}
		if len(found.leads) > 0 {
			part += " and no others; it now points to " + listOf(found.leads)
		}
		parts = append(parts, part)
	}
	if lacks(found.proof) {
		parts = append(parts, "prove that you own the name, by a TXT record "+claim.ProofName()+" with the value "+claim.ProofValue())
	}
	return strings.Join(append(parts, found.troubles...), "; ")
}

func listOf(addrs []netip.Addr) string {
	shown := textsOf(addrs)
	if len(addrs) > maxShown {
		shown = append(shown, "…")
	}
	return strings.Join(shown, ", ")
}
