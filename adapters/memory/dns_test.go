package memory_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/ports/dns/dnstest"
)

func TestDNS(t *testing.T) {
	dnstest.Run(t, func(*testing.T) dnstest.Harness {
		names := memory.NewDNS()
		return dnstest.Harness{Resolver: names, Set: func(name string, records dnstest.Records) {
			names.Set(name, memory.DNSRecords(records))
		}}
	})
}
