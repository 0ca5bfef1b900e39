package porttest

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/dns"
)

// DNSRecords are what a name has in a DNSNetwork: an alias and nothing else, or
// texts and addresses. The name servers of a broken name do not answer for it.
type DNSRecords struct {
	Texts     []string
	Addresses []netip.Addr
	Alias     string
	Broken    bool
}

// DNSNetwork is a resolver and the names that it finds: those below "example", each
// as it was last set, in lower case and without a final dot.
type DNSNetwork struct {
	Resolver dns.Resolver
	Set      func(name string, records DNSRecords)
}

// TestDNS holds a dns.Resolver to its port.
func TestDNS(t *testing.T, open func(t *testing.T) DNSNetwork) {
	clauses := []struct {
		says  string
		check func(t *testing.T, n DNSNetwork)
	}{
		{"texts are found, each as one", dnsTexts},
		{"addresses of both kinds are found", dnsAddresses},
		{"a name is the same in any case and with a final dot", dnsSpellings},
		{"what is not there is nothing, and no error", dnsNothing},
		{"an answer is of the moment", dnsMoment},
		{"aliases are followed, and named in their order", dnsAliases},
		{"aliases that do not end are an error", dnsCircles},
		{"as many aliases are followed as there may be", dnsManyAliases},
		{"name servers that do not answer are an error that names them", dnsBroken},
		{"many texts come whole", dnsManyTexts},
		{"no call outlives its context", dnsEnded},
	}
	for _, clause := range clauses {
		t.Run(clause.says, func(t *testing.T) { clause.check(t, open(t)) })
	}
}

func (n DNSNetwork) wantTexts(t *testing.T, name string, want ...string) {
	t.Helper()
	got, err := n.Resolver.Texts(t.Context(), name)
	slices.Sort(got)
	slices.Sort(want)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%s: got %.300q, %v, want %.300q", name, got, err, want)
	}
}

func (n DNSNetwork) wantRoute(t *testing.T, name string, names []string, addrs ...netip.Addr) {
	t.Helper()
	got, err := n.Resolver.Follow(t.Context(), name)
	slices.SortFunc(got.Addresses, netip.Addr.Compare)
	slices.SortFunc(addrs, netip.Addr.Compare)
	if err != nil || !slices.Equal(got.Names, names) || !slices.Equal(got.Addresses, addrs) {
		t.Errorf("%s: got %v, %v, want %v %v", name, got, err, names, addrs)
	}
}

func (n DNSNetwork) wantUnavailable(t *testing.T, ctx context.Context, name, says string) {
	t.Helper()
	_, textsErr := n.Resolver.Texts(ctx, name)
	_, followErr := n.Resolver.Follow(ctx, name)
	for _, err := range []error{textsErr, followErr} {
		if !core.IsCode(err, core.CodeUnavailable) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v, want %s and %q", name, err, core.CodeUnavailable, says)
		}
	}
}

var (
	dnsFirst  = netip.MustParseAddr("192.0.2.7")
	dnsSecond = netip.MustParseAddr("2001:db8::7")
)

func dnsTexts(t *testing.T, n DNSNetwork) {
	long := strings.Repeat("0123456789", 60)
	n.Set("shop.example", DNSRecords{Texts: []string{"v=spf1 -all", long, "atelier-verify=ABC"}, Addresses: []netip.Addr{dnsFirst}})
	n.wantTexts(t, "shop.example", "v=spf1 -all", long, "atelier-verify=ABC")
}

func dnsAddresses(t *testing.T, n DNSNetwork) {
	n.Set("shop.example", DNSRecords{Texts: []string{"x"}, Addresses: []netip.Addr{dnsFirst, dnsSecond}})
	n.wantRoute(t, "shop.example", []string{"shop.example"}, dnsFirst, dnsSecond)
}

func dnsSpellings(t *testing.T, n DNSNetwork) {
	n.Set("shop.example", DNSRecords{Texts: []string{"x"}, Addresses: []netip.Addr{dnsFirst}})
	for _, name := range []string{"SHOP.example", "shop.example.", "Shop.Example."} {
		n.wantTexts(t, name, "x")
		n.wantRoute(t, name, []string{"shop.example"}, dnsFirst)
	}
}

func dnsNothing(t *testing.T, n DNSNetwork) {
	n.Set("texts.example", DNSRecords{Texts: []string{"x"}})
	n.Set("addresses.example", DNSRecords{Addresses: []netip.Addr{dnsFirst}})
	n.Set("dangling.example", DNSRecords{Alias: "nobody.example"})
	for _, name := range []string{"nobody.example", "a.b.c.nobody.example", "addresses.example", "dangling.example"} {
		n.wantTexts(t, name)
	}
	n.wantRoute(t, "nobody.example", []string{"nobody.example"})
	n.wantRoute(t, "texts.example", []string{"texts.example"})
	n.wantRoute(t, "dangling.example", []string{"dangling.example", "nobody.example"})
}

func dnsMoment(t *testing.T, n DNSNetwork) {
	for i := range 3 {
		text := fmt.Sprint("text ", i)
		n.Set("shop.example", DNSRecords{Texts: []string{text}})
		n.wantTexts(t, "shop.example", text)
	}
	n.Set("shop.example", DNSRecords{Addresses: []netip.Addr{dnsFirst}})
	n.wantTexts(t, "shop.example")
}

func dnsAliases(t *testing.T, n DNSNetwork) {
	n.Set("a.example", DNSRecords{Alias: "b.one.example"})
	n.Set("b.one.example", DNSRecords{Alias: "c.two.example"})
	n.Set("c.two.example", DNSRecords{Texts: []string{"x"}, Addresses: []netip.Addr{dnsSecond}})
	n.wantTexts(t, "a.example", "x")
	n.wantRoute(t, "a.example", []string{"a.example", "b.one.example", "c.two.example"}, dnsSecond)
}

func dnsCircles(t *testing.T, n DNSNetwork) {
	n.Set("self.example", DNSRecords{Alias: "self.example"})
	n.Set("a.example", DNSRecords{Alias: "b.example"})
	n.Set("b.example", DNSRecords{Alias: "c.example"})
	n.Set("c.example", DNSRecords{Alias: "b.example"})
	n.wantUnavailable(t, t.Context(), "self.example", "self.example")
	n.wantUnavailable(t, t.Context(), "a.example", "a.example")
}

func dnsManyAliases(t *testing.T, n DNSNetwork) {
	names := []string{"end.example"}
	n.Set("end.example", DNSRecords{Texts: []string{"x"}, Addresses: []netip.Addr{dnsFirst}})
	for i := range dns.MaxAliases {
		name := fmt.Sprintf("a%d.example", i)
		n.Set(name, DNSRecords{Alias: names[0]})
		names = slices.Insert(names, 0, name)
	}
	n.wantTexts(t, names[0], "x")
	n.wantRoute(t, names[0], names, dnsFirst)
	n.Set("more.example", DNSRecords{Alias: names[0]})
	n.wantUnavailable(t, t.Context(), "more.example", "more.example")
}

func dnsBroken(t *testing.T, n DNSNetwork) {
	n.Set("broken.example", DNSRecords{Broken: true})
	n.Set("alias.example", DNSRecords{Alias: "broken.example"})
	n.Set("fine.example", DNSRecords{Texts: []string{"x"}})
	n.wantUnavailable(t, t.Context(), "broken.example", "example")
	n.wantUnavailable(t, t.Context(), "alias.example", "example")
	n.wantTexts(t, "fine.example", "x")
}

func dnsManyTexts(t *testing.T, n DNSNetwork) {
	var texts []string
	for i := range 100 {
		texts = append(texts, fmt.Sprintf("%03d %s", i, strings.Repeat("x", 250)))
	}
	n.Set("shop.example", DNSRecords{Texts: texts})
	n.wantTexts(t, "shop.example", texts...)
}

func dnsEnded(t *testing.T, n DNSNetwork) {
	n.Set("shop.example", DNSRecords{Texts: []string{"x"}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	n.wantUnavailable(t, ctx, "shop.example", "")
}
