package nameservers

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	mdns "github.com/miekg/dns"

	"github.com/atelierhq/atelier/adapters/internal/addresses"
	"github.com/atelierhq/atelier/core"
)

const (
	// maxDelegations bounds the zones on the way down to a name.
	maxDelegations = 12
	// maxServers bounds the servers of a zone that are tried, in random order.
	maxServers = 4
)

// zone is a zone of the DNS with its name servers.
type zone struct {
	name    string
	servers []server
}

// server is a name server. Unknown addresses are looked up.
type server struct {
	name      string
	addresses []netip.Addr
}

// walk asks the servers of the name's own zone.
func (s *search) walk(name string, kind uint16) ([]mdns.RR, error) {
	at, err := s.top(name)
	if err != nil {
		return nil, err
	}
	for range maxDelegations {
		answer, below, err := s.askZone(at, name, kind)
		if err != nil {
			return nil, err
		}
		if answer != nil {
			return recordsOf(answer, name, kind), nil
		}
		at = below
	}
	return nil, unavailable("the name servers of %s delegate more than %d times", name, maxDelegations)
}

// top finds the servers of a name's top-level domain. An answer that the domain does not
// exist is not trusted: a resolver in a private network may know none at all.
func (s *search) top(name string) (zone, error) {
	label := name[strings.LastIndexByte(name, '.')+1:]
	if known, ok := s.tops[label]; ok {
		return known, nil
	}
	answer, err := s.resolve(label, mdns.TypeNS)
	if err != nil {
		return zone{}, unavailableFor(err, "the name servers of the top-level domain %q cannot be found", label)
	}
	top := zone{name: label}
	for _, record := range answer.Answer {
		if ns, ok := record.(*mdns.NS); ok && plain(ns.Hdr.Name) == label {
			top.servers = append(top.servers, server{name: plain(ns.Ns)})
		}
	}
	if len(top.servers) == 0 {
		return zone{}, unavailable("the name servers of the top-level domain %q cannot be found", label)
	}
	s.tops[label] = top
	return top, nil
}

// askZone asks the servers of a zone until one gives an authoritative answer, or refers
// to a zone below.
func (s *search) askZone(at zone, name string, kind uint16) (answer *mdns.Msg, below zone, err error) {
	var causes []error
	for _, i := range rand.Perm(len(at.servers))[:min(len(at.servers), maxServers)] {
		addrs, err := s.addressesOf(at.servers[i])
		if err != nil {
			causes = append(causes, err)
			continue
		}
		for _, addr := range addrs {
			answer, below, err := s.askServer(addr, at, name, kind)
			if err == nil {
				return answer, below, nil
			}
			causes = append(causes, fmt.Errorf("%s: %w", at.servers[i].name, err))
		}
	}
	if err := s.ctx.Err(); err != nil {
		causes = append(causes, err)
	}
	return nil, zone{}, unavailableFor(errors.Join(causes...), "%s", s.complaint(at, causes))
}

// complaint says why no server of a zone gave a useful answer.
func (s *search) complaint(at zone, causes []error) string {
	for _, cause := range causes {
		if core.IsCode(cause, core.CodeForbiddenAddress) {
			return "the name servers of " + at.name + " are at addresses that are not allowed"
		}
	}
	return "the name servers of " + at.name + " gave no usable answer"
}

func (s *search) askServer(addr netip.Addr, at zone, name string, kind uint16) (*mdns.Msg, zone, error) {
	if err := addresses.CheckIP(addr, s.config.AllowPrivate); err != nil {
		return nil, zone{}, err
	}
	answer, err := s.ask(net.JoinHostPort(addr.String(), strconv.Itoa(int(s.config.Port))), name, kind, false)
	switch {
	case err != nil:
		return nil, zone{}, err
	case !isUsable(answer):
		return nil, zone{}, errors.New("the answer is " + mdns.RcodeToString[answer.Rcode])
	case answer.Authoritative:
		return answer, zone{}, nil
	}
	below := delegation(answer, at, name)
	if len(below.servers) == 0 {
		return nil, zone{}, errors.New("the server is not authoritative for the name")
	}
	return nil, below, nil
}

// delegation returns the zone to which a server refers: one below the given zone, on the
// way to the name. It accepts addresses only for servers within the answering zone,
// because nobody else may say where those of other zones are.
func delegation(answer *mdns.Msg, at zone, name string) zone {
	var below zone
	for _, record := range answer.Ns {
		ns, ok := record.(*mdns.NS)
		if !ok {
			continue
		}
		owner := plain(ns.Hdr.Name)
		if !core.DomainWithin(name, owner) || !core.DomainWithin(owner, at.name) || owner == at.name || below.name != "" && owner != below.name {
			continue
		}
		below.name = owner
		below.servers = append(below.servers, server{plain(ns.Ns), glue(answer, plain(ns.Ns), at)})
	}
	return below
}

func glue(answer *mdns.Msg, host string, at zone) []netip.Addr {
	if !core.DomainWithin(host, at.name) {
		return nil
	}
	var records []mdns.RR
	for _, record := range answer.Extra {
		if plain(record.Header().Name) == host {
			records = append(records, record)
		}
	}
	return bounded(addressesIn(records))
}

// addressesOf asks the machine's resolver for a server's addresses, unless they are
// known.
func (s *search) addressesOf(server server) ([]netip.Addr, error) {
	if len(server.addresses) > 0 {
		return server.addresses, nil
	}
	var found []netip.Addr
	var failed error
	for _, kind := range []uint16{mdns.TypeA, mdns.TypeAAAA} {
		answer, err := s.resolve(server.name, kind)
		if err != nil {
			failed = err
			continue
		}
		found = append(found, addressesIn(answer.Answer)...)
	}
	if len(found) == 0 {
		return nil, errors.Join(fmt.Errorf("%s has no address", server.name), failed)
	}
	return bounded(found), nil
}

// bounded keeps a few addresses, IPv4 first, because every machine can reach those.
func bounded(addrs []netip.Addr) []netip.Addr {
	slices.SortStableFunc(addrs, func(a, b netip.Addr) int { return a.BitLen() - b.BitLen() })
	return addrs[:min(len(addrs), 3)]
}

// resolve asks the machine's resolvers, in their order.
func (s *search) resolve(name string, kind uint16) (*mdns.Msg, error) {
	var failed []error
	for _, resolver := range s.resolvers() {
		answer, err := s.ask(resolver, name, kind, true)
		if err == nil && isUsable(answer) {
			return answer, nil
		}
		if err == nil {
			err = errors.New("the resolver answered with " + mdns.RcodeToString[answer.Rcode])
		}
		failed = append(failed, err)
	}
	return nil, errors.Join(failed...)
}

// resolvers reads the list for every call, because networks change. Without the file
// there is one on this machine (resolv.conf(5)).
func (s *search) resolvers() []string {
	if len(s.config.Resolvers) > 0 {
		return s.config.Resolvers
	}
	config, err := mdns.ClientConfigFromFile("/etc/resolv.conf")
	if err != nil || len(config.Servers) == 0 {
		return []string{"127.0.0.1:53"}
	}
	found := make([]string, len(config.Servers))
	for i, host := range config.Servers {
		found[i] = net.JoinHostPort(host, config.Port)
	}
	return slices.Compact(found)
}
