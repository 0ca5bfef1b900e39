package nameservers_test

import (
	"maps"
	"math/rand/v2"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"testing"

	mdns "github.com/miekg/dns"

	"github.com/atelierhq/atelier/adapters/nameservers"
	"github.com/atelierhq/atelier/ports/dns/dnstest"
)

// network is name servers on loopback addresses, all on one port.
type network struct {
	t    *testing.T
	port uint16

	mu sync.Mutex
	// zones are the zones for which the server at an address is responsible, by name.
	zones map[string]map[string]zone
	// odd answers replace the zones of an address.
	odd map[string]mdns.HandlerFunc
	// asked counts the questions that came to an address.
	asked map[string]int
}

// zone is the records of names, and below which names others are responsible: the
// NS records, with glue as "name address".
type zone struct {
	records     map[string]dnstest.Records
	delegations map[string][]string
	fails       func(name string) bool
}

// resolverAt is where the machine's resolver is, topAt the servers of "example".
const (
	resolverAt = "127.0.0.1"
	topAt      = "127.0.0.2"
)

func newNetwork(t *testing.T) *network {
	n := &network{t: t, zones: map[string]map[string]zone{}, odd: map[string]mdns.HandlerFunc{}, asked: map[string]int{}}
	n.listen(resolverAt)
	n.listen(topAt)
	n.resolve("ns.top.example", dnstest.Records{Addresses: []netip.Addr{netip.MustParseAddr(topAt)}})
	return n
}

// resolve sets the answer of the machine's resolver for a name.
func (n *network) resolve(name string, records dnstest.Records) {
	n.mu.Lock()
	known := maps.Clone(n.zones[resolverAt][""].records)
	n.mu.Unlock()
	if known == nil {
		known = map[string]dnstest.Records{}
	}
	known[name] = records
	n.set(resolverAt, "", zone{records: known, delegations: map[string][]string{"example": {"ns.top.example"}}})
}

// listen serves an address, the first on a free port and the others on the same.
func (n *network) listen(address string) {
	n.t.Helper()
	packets, stream := n.bind(address)
	handler := mdns.HandlerFunc(func(w mdns.ResponseWriter, question *mdns.Msg) { n.answer(address, w, question) })
	for _, server := range []*mdns.Server{{PacketConn: packets, Handler: handler}, {Listener: stream, Handler: handler}} {
		started := make(chan struct{})
		server.NotifyStartedFunc = func() { close(started) }
		go func() { _ = server.ActivateAndServe() }()
		<-started
		n.t.Cleanup(func() { _ = server.Shutdown() })
	}
}

// bind takes a port for packets and for streams. The first one is not an ephemeral port,
// which another connection might take.
func (n *network) bind(address string) (net.PacketConn, net.Listener) {
	n.t.Helper()
	for try := 0; ; try++ {
		port := n.port
		if port == 0 {
			port = uint16(10_000 + rand.IntN(20_000))
		}
		at := net.JoinHostPort(address, strconv.Itoa(int(port)))
		packets, err := net.ListenPacket("udp", at)
		if err == nil {
			var stream net.Listener
			if stream, err = net.Listen("tcp", at); err == nil {
				n.port = port
				return packets, stream
			}
			packets.Close()
		}
		if n.port != 0 || try == 50 {
			n.t.Fatal(err)
		}
	}
}

// resolver walks the network.
func (n *network) resolver() *nameservers.Resolver {
	return nameservers.New(nameservers.Config{
		AllowPrivate: true, Port: n.port, Resolvers: []string{net.JoinHostPort(resolverAt, strconv.Itoa(int(n.port)))},
	})
}

// top sets the zone "example".
func (n *network) top(z zone) { n.set(topAt, "example", z) }

func (n *network) set(address, name string, z zone) {
	n.mu.Lock()
	defer n.mu.Unlock()
	zones := maps.Clone(n.zones[address])
	if zones == nil {
		zones = map[string]zone{}
	}
	zones[name] = z
	n.zones[address] = zones
}

func (n *network) answerOddly(address string, handler mdns.HandlerFunc) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.odd[address] = handler
}

func (n *network) questionsTo(address string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.asked[address]
}

func (n *network) answer(address string, w mdns.ResponseWriter, question *mdns.Msg) {
	n.mu.Lock()
	odd, zones := n.odd[address], n.zones[address]
	n.asked[address]++
	n.mu.Unlock()
	if odd != nil {
		odd(w, question)
		return
	}
	name := plain(question.Question[0].Name)
	for apex, z := range zones {
		if apex == "" || name == apex || strings.HasSuffix(name, "."+apex) {
			_ = w.WriteMsg(fit(w, question, z.answer(question, name)))
			return
		}
	}
	refused := new(mdns.Msg)
	_ = w.WriteMsg(refused.SetRcode(question, mdns.RcodeRefused))
}

// fit cuts an answer off over UDP, as servers do.
func fit(w mdns.ResponseWriter, question, answer *mdns.Msg) *mdns.Msg {
	if _, overUDP := w.RemoteAddr().(*net.UDPAddr); overUDP {
		size := mdns.MinMsgSize
		if option := question.IsEdns0(); option != nil {
			size = int(option.UDPSize())
		}
		answer.Truncate(size)
	}
	return answer
}

func (z zone) answer(question *mdns.Msg, name string) *mdns.Msg {
	answer := new(mdns.Msg)
	answer.SetReply(question)
	answer.Compress = true
	kind := question.Question[0].Qtype
	records, known := z.records[name]
	switch cut := z.cutAbove(name); {
	case z.fails != nil && z.fails(name):
		answer.Rcode = mdns.RcodeServerFailure
	case known:
		answer.Authoritative = true
		answer.Answer = recordsOf(name, kind, records)
	case cut == name && kind == mdns.TypeNS:
		answer.Answer, _ = z.delegation(cut)
	case cut != "":
		answer.Ns, answer.Extra = z.delegation(cut)
	default:
		answer.Authoritative = true
		answer.Rcode = mdns.RcodeNameError
	}
	return answer
}

// cutAbove is the delegation that a name belongs to, "" for none.
func (z zone) cutAbove(name string) string {
	for cut := range z.delegations {
		if name == cut || strings.HasSuffix(name, "."+cut) {
			return cut
		}
	}
	return ""
}

func (z zone) delegation(cut string) (servers, glue []mdns.RR) {
	for _, server := range z.delegations[cut] {
		host, address, _ := strings.Cut(server, " ")
		servers = append(servers, rr(cut+". 60 IN NS "+host+"."))
		if address != "" {
			glue = append(glue, rr(host+". 60 IN A "+address))
		}
	}
	return servers, glue
}

func recordsOf(name string, kind uint16, records dnstest.Records) (found []mdns.RR) {
	header := mdns.RR_Header{Name: name + ".", Rrtype: kind, Class: mdns.ClassINET, Ttl: 86400}
	if records.Alias != "" {
		header.Rrtype = mdns.TypeCNAME
		return []mdns.RR{&mdns.CNAME{Hdr: header, Target: records.Alias + "."}}
	}
	if kind == mdns.TypeTXT {
		for _, text := range records.Texts {
			found = append(found, &mdns.TXT{Hdr: header, Txt: pieces(text)})
		}
	}
	for _, addr := range records.Addresses {
		switch {
		case kind == mdns.TypeA && addr.Is4():
			found = append(found, &mdns.A{Hdr: header, A: addr.AsSlice()})
		case kind == mdns.TypeAAAA && addr.Is6():
			found = append(found, &mdns.AAAA{Hdr: header, AAAA: addr.AsSlice()})
		}
	}
	return found
}

// pieces are the strings of a text, of at most 255 bytes.
func pieces(text string) []string {
	var all []string
	for len(text) > 200 {
		all, text = append(all, text[:200]), text[200:]
	}
	return append(all, text)
}

func rr(text string) mdns.RR {
	record, err := mdns.NewRR(text)
	if err != nil {
		panic(err)
	}
	return record
}

func plain(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }
