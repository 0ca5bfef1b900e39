// Package dnstest tests a dns.Resolver against its port.
package dnstest

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

// Records are those of a name in a Harness: an alias and nothing else, or
// texts and addresses. The name servers of a broken name do not answer for it.
type Records struct {
	Texts     []string
	Addresses []netip.Addr
	Alias     string
	Broken    bool
}

// Harness is a resolver and the names that it finds: those below "example", each
// as it was last set, in lower case and without a final dot.
type Harness struct {
	Resolver dns.Resolver
	Set      func(name string, records Records)
}

// Run tests a dns.Resolver against its port.
func Run(t *testing.T, open func(t *testing.T) Harness) {
	clauses := []struct {
		says  string
		check func(t *testing.T, n Harness)
	}{
		{"texts are found, each as one", texts},
		{"addresses of both kinds are found", addresses},
		{"a name is the same in any case and with a final dot", spellings},
		{"a name without records has none, and that is no error", nothing},
		{"an answer is of the moment", moment},
		{"aliases are followed, and named in their order", aliases},
		{"aliases that do not end are an error", circles},
		{"as many aliases are followed as there may be", manyAliases},
		{"name servers that do not answer are an error that names them", broken},
		{"many texts come whole", manyTexts},
		{"no call outlives its context", ended},
	}
	for _, clause := range clauses {
		t.Run(clause.says, func(t *testing.T) { clause.check(t, open(t)) })
	}
}

func (n Harness) wantTexts(t *testing.T, name string, want ...string) {
	t.Helper()
	got, err := n.Resolver.Texts(t.Context(), name)
	slices.Sort(got)
	slices.Sort(want)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%s: got %.300q, %v, want %.300q", name, got, err, want)
	}
}

func (n Harness) wantRoute(t *testing.T, name string, names []string, addrs ...netip.Addr) {
	t.Helper()
	got, err := n.Resolver.Follow(t.Context(), name)
	slices.SortFunc(got.Addresses, netip.Addr.Compare)
	slices.SortFunc(addrs, netip.Addr.Compare)
	if err != nil || !slices.Equal(got.Names, names) || !slices.Equal(got.Addresses, addrs) {
		t.Errorf("%s: got %v, %v, want %v %v", name, got, err, names, addrs)
	}
}

func (n Harness) wantUnavailable(t *testing.T, ctx context.Context, name, says string) {
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
	firstAddr  = netip.MustParseAddr("192.0.2.7")
	secondAddr = netip.MustParseAddr("2001:db8::7")
)

func texts(t *testing.T, n Harness) {
	long := strings.Repeat("0123456789", 60)
	n.Set("shop.example", Records{Texts: []string{"v=spf1 -all", long, "atelier-verify=ABC"}, Addresses: []netip.Addr{firstAddr}})
	n.wantTexts(t, "shop.example", "v=spf1 -all", long, "atelier-verify=ABC")
}

func addresses(t *testing.T, n Harness) {
	n.Set("shop.example", Records{Texts: []string{"x"}, Addresses: []netip.Addr{firstAddr, secondAddr}})
	n.wantRoute(t, "shop.example", []string{"shop.example"}, firstAddr, secondAddr)
}

func spellings(t *testing.T, n Harness) {
	n.Set("shop.example", Records{Texts: []string{"x"}, Addresses: []netip.Addr{firstAddr}})
	for _, name := range []string{"SHOP.example", "shop.example.", "Shop.Example."} {
		n.wantTexts(t, name, "x")
		n.wantRoute(t, name, []string{"shop.example"}, firstAddr)
	}
}

func nothing(t *testing.T, n Harness) {
	n.Set("texts.example", Records{Texts: []string{"x"}})
	n.Set("addresses.example", Records{Addresses: []netip.Addr{firstAddr}})
	n.Set("dangling.example", Records{Alias: "nobody.example"})
	for _, name := range []string{"nobody.example", "a.b.c.nobody.example", "addresses.example", "dangling.example"} {
		n.wantTexts(t, name)
	}
	n.wantRoute(t, "nobody.example", []string{"nobody.example"})
	n.wantRoute(t, "texts.example", []string{"texts.example"})
	n.wantRoute(t, "dangling.example", []string{"dangling.example", "nobody.example"})
}

func moment(t *testing.T, n Harness) {
	for i := range 3 {
		text := fmt.Sprint("text ", i)
		n.Set("shop.example", Records{Texts: []string{text}})
		n.wantTexts(t, "shop.example", text)
	}
	n.Set("shop.example", Records{Addresses: []netip.Addr{firstAddr}})
	n.wantTexts(t, "shop.example")
}

func aliases(t *testing.T, n Harness) {
	n.Set("a.example", Records{Alias: "b.one.example"})
	n.Set("b.one.example", Records{Alias: "c.two.example"})
	n.Set("c.two.example", Records{Texts: []string{"x"}, Addresses: []netip.Addr{secondAddr}})
	n.wantTexts(t, "a.example", "x")
	n.wantRoute(t, "a.example", []string{"a.example", "b.one.example", "c.two.example"}, secondAddr)
}

func circles(t *testing.T, n Harness) {
	n.Set("self.example", Records{Alias: "self.example"})
	n.Set("a.example", Records{Alias: "b.example"})
	n.Set("b.example", Records{Alias: "c.example"})
	n.Set("c.example", Records{Alias: "b.example"})
	n.wantUnavailable(t, t.Context(), "self.example", "self.example")
	n.wantUnavailable(t, t.Context(), "a.example", "a.example")
}

func manyAliases(t *testing.T, n Harness) {
	names := []string{"end.example"}
	n.Set("end.example", Records{Texts: []string{"x"}, Addresses: []netip.Addr{firstAddr}})
	for i := range dns.MaxAliases {
		name := fmt.Sprintf("a%d.example", i)
		n.Set(name, Records{Alias: names[0]})
		names = slices.Insert(names, 0, name)
	}
	n.wantTexts(t, names[0], "x")
	n.wantRoute(t, names[0], names, firstAddr)
	n.Set("more.example", Records{Alias: names[0]})
	n.wantUnavailable(t, t.Context(), "more.example", "more.example")
}

func broken(t *testing.T, n Harness) {
	n.Set("broken.example", Records{Broken: true})
	n.Set("alias.example", Records{Alias: "broken.example"})
	n.Set("fine.example", Records{Texts: []string{"x"}})
	n.wantUnavailable(t, t.Context(), "broken.example", "example")
	n.wantUnavailable(t, t.Context(), "alias.example", "example")
	n.wantTexts(t, "fine.example", "x")
}

func manyTexts(t *testing.T, n Harness) {
	var texts []string
	for i := range 100 {
		texts = append(texts, fmt.Sprintf("%03d %s", i, strings.Repeat("x", 250)))
	}
	n.Set("shop.example", Records{Texts: texts})
	n.wantTexts(t, "shop.example", texts...)
}

func ended(t *testing.T, n Harness) {
	n.Set("shop.example", Records{Texts: []string{"x"}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	n.wantUnavailable(t, ctx, "shop.example", "")
}
