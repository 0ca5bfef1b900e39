package memory

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/dns"
)

var _ dns.Resolver = (*DNS)(nil)

// DNS is a dns.Resolver with scripted records. Names are in lower case, without a final
// dot, as callers write them in records.
type DNS struct {
	mu      sync.Mutex
	records map[string]DNSRecords
}

// DNSRecords are the records of a name.
type DNSRecords struct {
	Texts     []string
	Addresses []netip.Addr
	// Alias is the name to which this one is an alias (CNAME). The name then has no other
	// records.
	Alias string
	// Broken means that the name servers do not answer.
	Broken bool
}

// NewDNS returns a resolver that knows no name.
func NewDNS() *DNS { return &DNS{records: map[string]DNSRecords{}} }

// Set replaces the records of a name.
func (d *DNS) Set(name string, records DNSRecords) {
	d.mu.Lock()
	defer d.mu.Unlock()
	records.Texts, records.Addresses = slices.Clone(records.Texts), slices.Clone(records.Addresses)
	d.records[name] = records
}

// Texts implements dns.Resolver.
func (d *DNS) Texts(ctx context.Context, name string) ([]string, error) {
	_, records, err := d.follow(ctx, name)
	return slices.Clone(records.Texts), err
}

// Follow implements dns.Resolver.
func (d *DNS) Follow(ctx context.Context, name string) (dns.Route, error) {
	names, records, err := d.follow(ctx, name)
	if err != nil {
		return dns.Route{}, err
	}
	return dns.Route{Names: names, Addresses: slices.Clone(records.Addresses)}, nil
}

func (d *DNS) follow(ctx context.Context, name string) (names []string, records DNSRecords, err error) {
	if err := ctx.Err(); err != nil {
		return nil, records, core.Wrap(core.CodeUnavailable, err, "the look-up was canceled")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	for range dns.MaxAliases + 1 {
		names = append(names, name)
		records = d.records[name]
		switch {
		case records.Broken:
			return nil, DNSRecords{}, core.Errorf(core.CodeUnavailable, "the name servers of %s do not answer", name)
		case records.Alias == "":
			return names, records, nil
		}
		name = records.Alias
	}
	return nil, DNSRecords{}, core.Errorf(core.CodeUnavailable, "the aliases of %s form a cycle", names[0])
}
