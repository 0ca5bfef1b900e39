package domains

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/ports/storage"
)

// registry is a service over memory adapters, a workspace and its admin.
type registry struct {
	*Service
	t         *testing.T
	dns       *memory.DNS
	bus       *memory.Bus
	workspace core.ID
	admin     core.Actor
}

// here is the address of sites, elsewhere another one.
var (
	here      = netip.MustParseAddr("192.0.2.1")
	elsewhere = netip.MustParseAddr("198.51.100.9")
)

// toASCII knows one international name.
func toASCII(name string) (string, error) {
	switch strings.ToLower(name) {
	case "bücher.example", "xn--bcher-kva.example":
		return "xn--bcher-kva.example", nil
	}
	return "", errors.New("no such name")
}

func newRegistry(t *testing.T) *registry {
	t.Helper()
	store, bus, names := memory.NewStore(), memory.NewBus(), memory.NewDNS()
	gate, log := access.NewGate(store), slog.New(slog.DiscardHandler)
	r := &registry{t: t, dns: names, bus: bus}
	r.Service = New(Deps{
		Store: store, Gate: gate, Audit: audit.New(audit.Deps{Store: store, Gate: gate, Now: time.Now, Log: log}), Bus: bus, DNS: names, Now: time.Now, Log: log,
		Rules: Rules{
			AppDomain: "sites.test", Own: []string{"studio.test", "sites.test", "preview.sites.test", ""}, ToASCII: toASCII,
			IsPublicSuffix: func(name string) bool { return name == "co.uk" },
		},
	})
	r.workspace = core.NewID()
	at := core.At(time.Now())
	r.must(store.Tables().Workspaces.Create(t.Context(), core.Workspace{ID: r.workspace, Name: "Team", Slug: "team", CreatedAt: at, UpdatedAt: at}))
	r.admin = r.person(core.RoleAdmin)
	return r
}

// inRegistry runs a test in a synctest bubble.
func inRegistry(t *testing.T, test func(*testing.T, *registry)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, newRegistry(t)) })
}

func (r *registry) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatalf("got %v, want nil", err)
	}
}

func (r *registry) wantCode(err error, want core.Code) {
	r.t.Helper()
	if !core.IsCode(err, want) {
		r.t.Errorf("got %v, want %s", err, want)
	}
}

func (r *registry) person(role core.Role) core.Actor {
	r.t.Helper()
	id, at := core.NewID(), core.At(time.Now())
	r.must(r.Store.Tables().Users.Create(r.t.Context(), core.User{ID: id, Email: string(id) + "@example.com", CreatedAt: at}))
	if role != core.RoleNone {
		r.must(r.Store.Tables().Workspaces.PutMember(r.t.Context(), core.Membership{WorkspaceID: r.workspace, UserID: id, Role: role, JoinedAt: at}))
	}
	return core.Actor{UserID: id, IP: "203.0.113.5"}
}

// project makes a project, altered before it is stored, whose site's name points
// here.
func (r *registry) project(slug string, alter ...func(*core.Project)) core.ID {
	r.t.Helper()
	at := core.At(time.Now())
	project := core.Project{
		ID: core.NewID(), WorkspaceID: r.workspace, Slug: slug, Name: "Project " + slug, Visibility: core.VisibilityWorkspace,
		CreatedAt: at, UpdatedAt: at, CreatedBy: r.admin.UserID,
	}
	for _, alter := range alter {
		alter(&project)
	}
	r.must(r.Store.Tables().Projects.Create(r.t.Context(), project))
	r.dns.Set(slug+".sites.test", memory.DNSRecords{Addresses: []netip.Addr{here}})
	return project.ID
}

func (r *registry) add(project core.ID, name string) View {
	r.t.Helper()
	view, err := r.Add(r.t.Context(), r.admin, project, name)
	r.must(err)
	return view
}

// prove sets the record that a claim asks for, and point points its name to
// addresses.
func (r *registry) prove(claims ...View) {
	texts := []string{"v=spf1 -all"}
	for _, claim := range claims {
		texts = append(texts, claim.TXTValue)
	}
	r.dns.Set(claims[0].TXTName, memory.DNSRecords{Texts: texts})
}

func (r *registry) point(name string, addrs ...netip.Addr) {
	r.dns.Set(name, memory.DNSRecords{Addresses: addrs})
}

func (r *registry) verify(claim View) View {
	r.t.Helper()
	view, err := r.Verify(r.t.Context(), r.admin, claim.ID)
	r.must(err)
	return view
}

// active makes a project with an active claim.
func (r *registry) active(slug, name string) (core.ID, View) {
	r.t.Helper()
	project := r.project(slug)
	claim := r.add(project, name)
	r.prove(claim)
	r.point(name, here)
	claim = r.verify(claim)
	r.wantStatus(claim.ID, core.DomainActive)
	return project, claim
}

func (r *registry) stored(id core.ID) core.Domain {
	r.t.Helper()
	claim, err := r.Store.Tables().Domains.ByID(r.t.Context(), id)
	r.must(err)
	return claim
}

func (r *registry) wantStatus(id core.ID, want core.DomainStatus) {
	r.t.Helper()
	if got := r.stored(id); got.Status != want {
		r.t.Errorf("got %s (%s), want %s", got.Status, got.Message, want)
	}
}

// wantCustomDomain checks the domain in a project's record, "" for none.
func (r *registry) wantCustomDomain(project core.ID, want string) {
	r.t.Helper()
	found, err := r.Store.Tables().Projects.ByID(r.t.Context(), project)
	r.must(err)
	got := ""
	if found.CustomDomain != nil {
		got = *found.CustomDomain
	}
	if got != want {
		r.t.Errorf("got customDomain %q, want %q", got, want)
	}
}

func (r *registry) wantGone(id core.ID) {
	r.t.Helper()
	_, err := r.Store.Tables().Domains.ByID(r.t.Context(), id)
	r.wantCode(err, core.CodeNotFound)
}

// audited are the actions in the workspace's log, the oldest first, with the actor:
// "+" for a person, "-" for the service itself.
func (r *registry) audited() (all []string) {
	r.t.Helper()
	entries, err := r.Audit.List(r.t.Context(), r.admin, r.workspace, core.Page{Limit: 100})
	r.must(err)
	for _, entry := range entries {
		who := "-"
		if entry.Actor != nil {
			who = "+"
		}
		all = append([]string{who + string(entry.Action)}, all...)
	}
	return all
}

// running lets the service work in the background until the test ends.
func (r *registry) running() {
	r.Start()
	r.t.Cleanup(func() { _ = r.Close(context.Background()) })
}

// pass lets time go by.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// faultyStore is a store that returns no claims while it fails.
type faultyStore struct {
	storage.Store
	fails func() bool
}

func (f faultyStore) Tables() storage.Tables {
	tables := f.Store.Tables()
	tables.Domains = failingDomains{tables.Domains, f.fails}
	return tables
}

type failingDomains struct {
	storage.Domains
	fails func() bool
}

func (d failingDomains) Claim(ctx context.Context, now, until core.Time) (core.Domain, error) {
	if d.fails() {
		return core.Domain{}, core.Errorf(core.CodeUnavailable, "the database is away")
	}
	return d.Domains.Claim(ctx, now, until)
}
