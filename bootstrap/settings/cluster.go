package settings

import (
	"github.com/atelierhq/atelier/adapters/bunstore"
	"github.com/atelierhq/atelier/core"
)

// Part is what of the service a process is.
type Part int

// The parts of the service.
const (
	// PartAll answers for everything but the rooms of projects, and for those too where
	// CollabEmbedded is on.
	PartAll Part = iota
	// PartRooms has the rooms of projects and nothing else.
	PartRooms
)

// Exclusive reports whether no other process works on the same database and projects.
func (s Settings) Exclusive() core.Exclusive { return s.NATS.URL == "" }

// cluster holds settings together that several processes must share.
func (r *reader) cluster(s Settings) {
	if s.Exclusive() {
		if !s.CollabEmbedded {
			r.fail("COLLAB_EMBEDDED", "off", "on, unless NATS_URL is set: without it no other process can have the rooms")
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
