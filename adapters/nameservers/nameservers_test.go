package nameservers_test

import (
	"maps"
	"net"
	"strconv"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/adapters/nameservers"
	"github.com/atelierhq/atelier/ports/dns"
	"github.com/atelierhq/atelier/ports/dns/dnstest"
)

func TestResolverThatWalks(t *testing.T) {
	dnstest.Run(t, func(t *testing.T) dnstest.Harness {
		n := newNetwork(t)
		return n.conform(n.resolver(), topAt, "example")
	})
}

func TestResolverThatBelievesAnother(t *testing.T) {
	dnstest.Run(t, func(t *testing.T) dnstest.Harness {
		n := newNetwork(t)
		trusted := nameservers.New(nameservers.Config{Trusted: net.JoinHostPort(topAt, strconv.Itoa(int(n.port)))})
		return n.conform(trusted, topAt, "example")
	})
}

// conform sets names of one zone at one address.
func (n *network) conform(resolver dns.Resolver, address, name string) dnstest.Harness {
	var mu sync.Mutex
	records := map[string]dnstest.Records{}
	set := func(host string, has dnstest.Records) {
		mu.Lock()
		defer mu.Unlock()
		records[host] = has
		now := maps.Clone(records)
		n.set(address, name, zone{records: now, fails: func(name string) bool { return now[name].Broken }})
	}
	set("example", dnstest.Records{})
	return dnstest.Harness{Resolver: resolver, Set: set}
}
