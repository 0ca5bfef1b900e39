package nameservers

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"time"

	mdns "github.com/miekg/dns"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/dns"
)

var _ dns.Resolver = (*Resolver)(nil)

// Config says which servers to ask.
type Config struct {
	// Trusted is a resolver, as host:port, whose answers are trusted: it alone is asked.
	// If "", the resolver walks the delegations itself.
	Trusted string
	// AllowPrivate permits name servers at loopback and private addresses.
	AllowPrivate bool
	// Resolvers are the machine's resolvers, as host:port, in the order in which they are
	// asked. If empty, /etc/resolv.conf lists them.
	Resolvers []string
	// Port is the port of name servers; 0 is 53.
	Port uint16
}

const (
	// lookupTime bounds a call with all its questions; questionTime bounds one question
	// to one server over UDP or TCP.
	lookupTime   = 15 * time.Second
	questionTime = 2 * time.Second
	// maxQuestions bounds the questions of one call, whatever the name servers answer.
	maxQuestions = 80
)

// Resolver is a dns.Resolver. It is safe for concurrent use.
type Resolver struct{ config Config }

// New returns a resolver.
func New(config Config) *Resolver {
	if config.Port == 0 {
		config.Port = 53
	}
	return &Resolver{config}
}

// Texts implements dns.Resolver.
func (r *Resolver) Texts(ctx context.Context, name string) ([]string, error) {
	search, end := r.begin(ctx)
	defer end()
	found, _, err := search.follow(plain(name), mdns.TypeTXT)
	var texts []string
	for _, record := range found {
		if text, ok := record.(*mdns.TXT); ok {
			texts = append(texts, strings.Join(text.Txt, ""))
		}
	}
	return texts, err
}

// Follow implements dns.Resolver.
func (r *Resolver) Follow(ctx context.Context, name string) (dns.Route, error) {
	search, end := r.begin(ctx)
	defer end()
	found, names, err := search.follow(plain(name), mdns.TypeA)
	if err != nil {
		return dns.Route{}, err
	}
	route := dns.Route{Names: names, Addresses: addressesIn(found)}
	found, err = search.find(names[len(names)-1], mdns.TypeAAAA)
	route.Addresses = append(route.Addresses, addressesIn(found)...)
	if err != nil {
		return dns.Route{}, err
	}
	return route, nil
}

// search holds the state of one call.
type search struct {
	*Resolver
	ctx       context.Context
	questions int
	// tops caches the servers of top-level domains during the call.
	tops map[string]zone
}

func (r *Resolver) begin(ctx context.Context) (*search, context.CancelFunc) {
	ctx, end := context.WithTimeout(ctx, lookupTime)
	return &search{Resolver: r, ctx: ctx, tops: map[string]zone{}}, end
}

// follow finds the records of a kind that a name, or the target of its aliases, has, and
// the names on the way.
func (s *search) follow(name string, kind uint16) (found []mdns.RR, names []string, err error) {
	names = []string{name}
	for {
		found, err := s.find(name, kind)
		if err != nil {
			return nil, nil, err
		}
		alias := aliasIn(found)
		if alias == "" {
			return found, names, nil
		}
		if slices.Contains(names, alias) {
			return nil, nil, unavailable("the aliases of %s form a cycle", names[0])
		}
		if len(names) > dns.MaxAliases {
			return nil, nil, unavailable("%s has a chain of more than %d aliases", names[0], dns.MaxAliases)
		}
		name = alias
		names = append(names, name)
	}
}

// find asks for the records of a kind that a name itself has. It returns an alias for any
// kind.
func (s *search) find(name string, kind uint16) ([]mdns.RR, error) {
	if s.config.Trusted != "" {
		answer, err := s.ask(s.config.Trusted, name, kind, true)
		if err != nil {
			return nil, unavailableFor(err, "%s cannot be looked up: the resolver did not answer", name)
		}
		if !isUsable(answer) {
			return nil, unavailable("%s cannot be looked up: its name servers answered with %s", name, mdns.RcodeToString[answer.Rcode])
		}
		return recordsOf(answer, name, kind), nil
	}
	return s.walk(name, kind)
}

// recordsOf selects the records of the name itself from an answer.
func recordsOf(answer *mdns.Msg, name string, kind uint16) []mdns.RR {
	var found []mdns.RR
	for _, record := range answer.Answer {
		header := record.Header()
		if plain(header.Name) == name && header.Class == mdns.ClassINET && (header.Rrtype == kind || header.Rrtype == mdns.TypeCNAME) {
			found = append(found, record)
		}
	}
	return found
}

func aliasIn(found []mdns.RR) string {
	for _, record := range found {
		if alias, ok := record.(*mdns.CNAME); ok {
			return plain(alias.Target)
		}
	}
	return ""
}

func addressesIn(found []mdns.RR) []netip.Addr {
	var addrs []netip.Addr
	for _, record := range found {
		var raw []byte
		switch record := record.(type) {
		case *mdns.A:
			raw = record.A.To4()
		case *mdns.AAAA:
			raw = record.AAAA.To16()
		}
		if addr, ok := netip.AddrFromSlice(raw); ok {
			addrs = append(addrs, addr)
		}
	}
	return addrs
}

// plain returns a name in the spelling in which names are compared.
func plain(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }

func unavailable(format string, args ...any) error {
	return core.Errorf(core.CodeUnavailable, format, args...)
}

func unavailableFor(cause error, format string, args ...any) error {
	return core.Wrap(core.CodeUnavailable, cause, format, args...)
}
