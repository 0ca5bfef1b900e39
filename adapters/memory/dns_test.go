package memory_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/ports/porttest"
)

func TestDNS(t *testing.T) {
	porttest.TestDNS(t, func(*testing.T) porttest.DNSNetwork {
		names := memory.NewDNS()
		return porttest.DNSNetwork{Resolver: names, Set: func(name string, records porttest.DNSRecords) {
			names.Set(name, memory.DNSRecords(records))
		}}
	})
}
