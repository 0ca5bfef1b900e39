package settings

import (
	"net"
	"net/netip"

	"github.com/atelierhq/atelier/adapters/bunstore"
	"github.com/atelierhq/atelier/core"
)

// Part says which part of the service a process is.
type Part int

// The parts of the service.
const (
	// PartAll serves everything except the rooms of projects, and those too if
	// CollabEmbedded is on.
	PartAll Part = iota
	// PartRooms serves only the rooms of projects.
	PartRooms
)

// Exclusive reports whether no other process works on the same database and projects.
func (s Settings) Exclusive() core.SoleProcess { return s.NATS.URL == "" }

// isPeerAddr accepts "" and an address that others can reach.
func isPeerAddr(address string) bool {
	host, port, err := net.SplitHostPort(address)
	ip, parsed := netip.ParseAddr(host)
	return address == "" || err == nil && host != "" && port != "" && port != "0" && (parsed != nil || !ip.IsUnspecified()) && isListenAddr(address)
}

// checkCluster checks the combination of settings that several processes must share.
func checkCluster(r *reader, s Settings) {
	if s.Exclusive() {
		if !s.CollabEmbedded {
			r.fail("COLLAB_EMBEDDED", "off", "on, unless NATS_URL is set: without it, no other process can have the rooms")
		}
		for _, name := range []string{"BACKENDS_DIR", "PEER_ADDR"} {
			if got := r.env(name); got != "" {
				r.fail(name, got, "unset, unless NATS_URL is set: one process keeps the data of applications in DATA_DIR")
			}
		}
		return
	}
	switch {
	case !bunstore.IsPostgres(s.DatabaseURL):
		r.fail("DATABASE_URL", "", "postgres://… with NATS_URL: several processes share one database")
	case len(s.JWTSecret) == 0:
		r.fail("JWT_SECRET", "", "the same secret for all processes, with NATS_URL")
	case len(s.EncryptionKey) == 0:
		r.fail("ENCRYPTION_KEY", "", "the same key for all processes, with NATS_URL")
	}
}
