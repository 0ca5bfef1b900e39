// Package domains lets sites live under their owners' own names. A project claims a name. Its
// owner proves the claim in DNS and points the name at the service. Then the claim is active,
// and keeps the name from all others while both stay so.
//
// A project may have several active domains. The site is served at the primary one, which the
// project's record names, and the others redirect to it. The first active domain is primary
// until somebody chooses another or it is no longer active; then the oldest active one becomes
// primary.
//
// Everything that a claim depends on is looked up again, on request and in the background:
// often while it is pending, once a day while it is active. A claim that never became active
// lapses.
//
// # States of a claim
//
// A claim becomes active when the name's TXT record holds the claim's token and the name leads
// here. A partial unique index over active claims decides who holds a name. settle.go is the
// one place where a claim changes its state, for people who ask (Verify) and for the
// background (watch.go). Pending claims are checked less and less often and lapse after 7
// days; active ones are checked daily. A claim that certainly lacks something is given three
// days. Name servers that do not answer prove nothing.
//
// Project.customDomain names the primary domain (primary.go). It changes with the audit entry,
// in the transaction of the claim. ports/dns looks names up, adapters/sitehost serves them,
// and adapters/acme gets their certificates.
package domains
