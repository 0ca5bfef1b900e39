package settings

import (
	"cmp"

	"github.com/atelierhq/atelier/adapters/nats"
)

// NATS names the server through which the processes of this installation communicate.
// Without a URL there is only one process.
type NATS struct {
	URL string
	// Prefix begins the subjects of this installation.
	Prefix string
}

// readNATS reads the server's address, and never quotes it in errors: it may hold a password.
func readNATS(r *reader) NATS {
	s := NATS{URL: r.env("NATS_URL"), Prefix: cmp.Or(r.env("NATS_PREFIX"), nats.DefaultPrefix)}
	if s.URL != "" && nats.CheckURL(s.URL) != nil {
		r.fail("NATS_URL", "", "nats://[user:password@]host[:port], or tls://… for an encrypted connection; several of one cluster, separated by commas")
	}
	if nats.CheckPrefix(s.Prefix) != nil {
		r.fail("NATS_PREFIX", s.Prefix, "1 to 64 letters, digits, - and _")
	}
	return s
}
