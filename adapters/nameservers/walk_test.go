package nameservers_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	mdns "github.com/miekg/dns"

	"github.com/atelierhq/atelier/adapters/nameservers"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/dns"
	"github.com/atelierhq/atelier/ports/dns/dnstest"
)

// names are the records of a zone that have one text each.
func names(pairs ...string) map[string]dnstest.Records {
	records := map[string]dnstest.Records{}
	for i := 0; i < len(pairs); i += 2 {
		records[pairs[i]] = dnstest.Records{Texts: []string{pairs[i+1]}}
	}
	return records
}

// shop lets shop.example be a zone at an address.
func (n *network) shop(addresses ...string) {
	var servers []string
	for i, address := range addresses {
		n.listen(address)
		servers = append(servers, fmt.Sprintf("ns%d.shop.example %s", i, address))
	}
	n.top(zone{delegations: map[string][]string{"shop.example": servers}})
}

func wantTexts(t *testing.T, resolver dns.Resolver, name string, want ...string) {
	t.Helper()
	if got, err := resolver.Texts(t.Context(), name); err != nil || !slices.Equal(got, want) {
		t.Errorf("%s: got %q, %v, want %q", name, got, err, want)
	}
}

// wantUnavailable checks the code, the message and the duration of a failure.
func wantUnavailable(t *testing.T, resolver dns.Resolver, name, says string) {
	t.Helper()
	began := time.Now()
	got, err := resolver.Texts(t.Context(), name)
	if !core.IsCode(err, core.CodeUnavailable) || !strings.Contains(err.Error(), says) {
		t.Errorf("%s: got %q, %v, want %s and %q", name, got, err, core.CodeUnavailable, says)
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("%s: got an answer after %s, want it within the bound", name, took)
	}
}

func TestTheWalk(t *testing.T) {
	t.Run("goes down delegations to the name's own zone", func(t *testing.T) {
		n := newNetwork(t)
		n.shop("127.0.0.3")
		n.listen("127.0.0.4")
		n.set("127.0.0.3", "shop.example", zone{
			records: names("www.shop.example", "two"), delegations: map[string][]string{"deep.shop.example": {"ns.deep.shop.example 127.0.0.4"}},
		})
		n.set("127.0.0.4", "deep.shop.example", zone{records: names("a.b.deep.shop.example", "three")})
		wantTexts(t, n.resolver(), "www.shop.example", "two")
		wantTexts(t, n.resolver(), "a.b.deep.shop.example", "three")
	})
	t.Run("asks the machine's resolver where a server is that nobody may tell", func(t *testing.T) {
		n := newNetwork(t)
		n.listen("127.0.0.3")
		n.listen("127.0.0.4")
		n.top(zone{delegations: map[string][]string{"shop.example": {"ns.host.other 127.0.0.4"}}})
		n.set("127.0.0.4", "shop.example", zone{records: names("shop.example", "a lie")})
		n.set("127.0.0.3", "shop.example", zone{records: names("shop.example", "the truth")})
		n.resolve("ns.host.other", dnstest.Records{Addresses: []netip.Addr{netip.MustParseAddr("127.0.0.3")}})
		wantTexts(t, n.resolver(), "shop.example", "the truth")
		if got := n.questionsTo("127.0.0.4"); got != 0 {
			t.Errorf("got %d questions to a server that another zone placed, want none", got)
		}
	})
	t.Run("does not ask a resolver for what decides", func(t *testing.T) {
		n := newNetwork(t)
		n.shop("127.0.0.3")
		n.resolve("shop.example", dnstest.Records{Texts: []string{"poison"}})
		n.set("127.0.0.3", "shop.example", zone{records: names("shop.example", "the truth")})
		wantTexts(t, n.resolver(), "shop.example", "the truth")
	})
	t.Run("goes on to another server of the zone", func(t *testing.T) {
		n := newNetwork(t)
		n.shop("127.0.0.3", "127.0.0.4")
		n.answerOddly("127.0.0.3", func(w mdns.ResponseWriter, question *mdns.Msg) {
			_ = w.WriteMsg(new(mdns.Msg).SetRcode(question, mdns.RcodeRefused))
		})
		n.set("127.0.0.4", "shop.example", zone{records: names("shop.example", "the truth")})
		for range 5 {
			wantTexts(t, n.resolver(), "shop.example", "the truth")
		}
	})
	t.Run("does not believe a resolver that knows no top-level domain", func(t *testing.T) {
		n := newNetwork(t)
		wantUnavailable(t, n.resolver(), "shop.nowhere", `the top-level domain "nowhere"`)
		_, err := n.resolver().Follow(t.Context(), "shop.nowhere")
		if !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("got %v, want %s", err, core.CodeUnavailable)
		}
	})
}

func TestNameServersThatMisbehave(t *testing.T) {
	reply := func(change func(*mdns.Msg)) mdns.HandlerFunc {
		return func(w mdns.ResponseWriter, question *mdns.Msg) {
			answer := new(mdns.Msg)
			answer.SetReply(question)
			answer.Authoritative = true
			answer.Answer = []mdns.RR{rr(question.Question[0].Name + ` 60 IN TXT "a lie"`)}
			change(answer)
			_ = w.WriteMsg(answer)
		}
	}
	for says, handler := range map[string]mdns.HandlerFunc{
		"are silent":                           func(mdns.ResponseWriter, *mdns.Msg) {},
		"fail":                                 reply(func(m *mdns.Msg) { m.Rcode = mdns.RcodeServerFailure }),
		"refuse":                               reply(func(m *mdns.Msg) { m.Rcode = mdns.RcodeRefused }),
		"are not responsible":                  reply(func(m *mdns.Msg) { m.Authoritative = false }),
		"answer another question":              reply(func(m *mdns.Msg) { m.Question[0].Name = "other.example." }),
		"answer another kind of question":      reply(func(m *mdns.Msg) { m.Question[0].Qtype = mdns.TypeA }),
		"answer no question":                   reply(func(m *mdns.Msg) { m.Question = nil }),
		"answer with a question":               reply(func(m *mdns.Msg) { m.Response = false }),
		"answer under another id":              reply(func(m *mdns.Msg) { m.Id++ }),
		"answer with noise":                    func(w mdns.ResponseWriter, _ *mdns.Msg) { _, _ = w.Write([]byte("\x00\xffnoise")) },
		"never give the whole answer over TCP": reply(func(m *mdns.Msg) { m.Truncated = true; m.Rcode = mdns.RcodeServerFailure }),
		"send up again": reply(func(m *mdns.Msg) {
			m.Authoritative, m.Answer = false, nil
			m.Ns = []mdns.RR{rr("example. 60 IN NS ns.top.example.")}
		}),
		"send to themselves": reply(func(m *mdns.Msg) {
			m.Authoritative, m.Answer = false, nil
			m.Ns = []mdns.RR{rr("shop.example. 60 IN NS ns0.shop.example.")}
		}),
		"send elsewhere": reply(func(m *mdns.Msg) {
			m.Authoritative, m.Answer = false, nil
			m.Ns = []mdns.RR{rr("other.example. 60 IN NS ns0.shop.example.")}
		}),
	} {
		t.Run(says, func(t *testing.T) {
			n := newNetwork(t)
			n.shop("127.0.0.3")
			n.answerOddly("127.0.0.3", handler)
			wantUnavailable(t, n.resolver(), "www.shop.example", "the name servers of shop.example gave no usable answer")
		})
	}
	t.Run("tell of other names", func(t *testing.T) {
		n := newNetwork(t)
		n.shop("127.0.0.3")
		n.answerOddly("127.0.0.3", reply(func(m *mdns.Msg) { m.Answer[0].Header().Name = "other.example." }))
		wantTexts(t, n.resolver(), "shop.example")
	})
	t.Run("send on and on", func(t *testing.T) {
		n := newNetwork(t)
		n.shop("127.0.0.3")
		name := strings.Repeat("a.", 40) + "shop.example"
		n.answerOddly("127.0.0.3", func(w mdns.ResponseWriter, question *mdns.Msg) {
			answer := new(mdns.Msg)
			answer.SetReply(question)
			depth := n.questionsTo("127.0.0.3")
			cut := strings.Repeat("a.", depth) + "shop.example."
			answer.Ns = []mdns.RR{rr(cut + " 60 IN NS ns." + cut)}
			answer.Extra = []mdns.RR{rr("ns." + cut + " 60 IN A 127.0.0.3")}
			_ = w.WriteMsg(answer)
		})
		wantUnavailable(t, n.resolver(), name, "delegate more than")
		if got := n.questionsTo("127.0.0.3"); got > 20 {
			t.Errorf("got %d questions, want a bound", got)
		}
	})
	t.Run("name a hundred servers that are not there", func(t *testing.T) {
		n := newNetwork(t)
		var servers []string
		for i := range 100 {
			servers = append(servers, fmt.Sprintf("ns%d.nowhere", i))
		}
		n.top(zone{delegations: map[string][]string{"shop.example": servers}})
		wantUnavailable(t, n.resolver(), "shop.example", "shop.example")
		if got := n.questionsTo(resolverAt); got > 100 {
			t.Errorf("got %d questions, want a bound", got)
		}
	})
}

func TestNameServersAtForbiddenAddressesAreNotAsked(t *testing.T) {
	n := newNetwork(t)
	n.shop("127.0.0.3")
	n.set("127.0.0.3", "shop.example", zone{records: names("shop.example", "x")})
	strict := nameservers.New(nameservers.Config{
		Port: n.port, Resolvers: []string{net.JoinHostPort(resolverAt, strconv.Itoa(int(n.port)))},
	})
	_, err := strict.Texts(t.Context(), "shop.example")
	if !core.IsCode(err, core.CodeUnavailable) || !strings.Contains(err.Error(), "are not allowed") || n.questionsTo(topAt) != 0 {
		t.Errorf("got %v after %d questions, want a refusal before any", err, n.questionsTo(topAt))
	}
	n.top(zone{delegations: map[string][]string{"shop.example": {"ns0.shop.example 169.254.169.254"}}})
	wantUnavailable(t, n.resolver(), "shop.example", "are not allowed")
}

func TestAnAnswerThatIsTooLargeForUDPComesOverTCP(t *testing.T) {
	n := newNetwork(t)
	n.shop("127.0.0.3")
	long := strings.Repeat("y", 3000)
	n.set("127.0.0.3", "shop.example", zone{records: names("shop.example", long)})
	wantTexts(t, n.resolver(), "shop.example", long)
}

func TestAServerFromBeforeEDNSIsAskedWithoutIt(t *testing.T) {
	n := newNetwork(t)
	n.shop("127.0.0.3")
	n.answerOddly("127.0.0.3", func(w mdns.ResponseWriter, question *mdns.Msg) {
		answer := new(mdns.Msg)
		answer.SetReply(question)
		answer.Authoritative = true
		if question.IsEdns0() != nil {
			answer.Rcode = mdns.RcodeFormatError
		} else {
			answer.Answer = []mdns.RR{rr(`shop.example. 60 IN TXT "x"`)}
		}
		_ = w.WriteMsg(answer)
	})
	wantTexts(t, n.resolver(), "shop.example", "x")
}

func TestALookupEndsWithItsContext(t *testing.T) {
	n := newNetwork(t)
	n.shop("127.0.0.3")
	ctx, cancel := context.WithCancel(t.Context())
	n.answerOddly("127.0.0.3", func(mdns.ResponseWriter, *mdns.Msg) { cancel() })
	_, err := n.resolver().Texts(ctx, "shop.example")
	if asked := n.questionsTo("127.0.0.3"); !core.IsCode(err, core.CodeUnavailable) || !errors.Is(err, context.Canceled) || asked != 1 {
		t.Errorf("got %v after %d questions, want %s after the first", err, asked, core.CodeUnavailable)
	}
}

func TestNamesThatAreNoneAreNotAskedFor(t *testing.T) {
	n := newNetwork(t)
	for _, name := range []string{"", ".", "..", strings.Repeat("a", 64) + ".example", strings.Repeat("a.", 200) + "example", "a..example"} {
		got, err := n.resolver().Texts(t.Context(), name)
		if len(got) != 0 || err != nil && !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("%.40q: got %q, %v, want nothing", name, got, err)
		}
	}
}
