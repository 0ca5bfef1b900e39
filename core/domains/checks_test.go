package domains

import (
	"net/netip"
	"reflect"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
)

func TestAClaimSaysWhatWasFoundOfEachRecord(t *testing.T) {
	r := newRegistry(t)
	claim := r.add(r.project("shop"), "shop.example.com")
	if claim.Checks != nil {
		t.Errorf("got %+v before the first look, want nothing", claim.Checks)
	}
	want := func(when string, checks core.DomainChecks) {
		t.Helper()
		if got := r.verify(claim).Checks; got == nil || !reflect.DeepEqual(*got, checks) {
			t.Errorf("%s: got %+v, want %+v", when, got, checks)
		}
	}
	elsewhere := netip.MustParseAddr("198.51.100.7")
	r.dns.Set("shop.example.com", memory.DNSRecords{Addresses: []netip.Addr{elsewhere}})
	want("elsewhere", core.DomainChecks{Pointing: core.DomainCheckMissing, Proof: core.DomainCheckMissing, LeadsTo: []string{elsewhere.String()}, Addresses: []string{here.String()}})
	r.dns.Set(claim.TXTName, memory.DNSRecords{Texts: []string{claim.TXTValue}})
	r.dns.Set("shop.example.com", memory.DNSRecords{Broken: true})
	want("unknown", core.DomainChecks{Pointing: core.DomainCheckUnknown, Proof: core.DomainCheckPresent, LeadsTo: []string{}, Addresses: []string{}})
	r.dns.Set("shop.example.com", memory.DNSRecords{Addresses: []netip.Addr{here}})
	want("here", core.DomainChecks{Pointing: core.DomainCheckPresent, Proof: core.DomainCheckPresent, LeadsTo: []string{here.String()}, Addresses: []string{here.String()}})
}
