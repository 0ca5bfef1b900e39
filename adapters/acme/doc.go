// Package acme gets certificates from an ACME authority (RFC 8555) for the names that the
// service answers to, when a client first connects to one, and renews them while they are
// used. It wraps certmagic.
//
// Names come from clients, so nothing is looked up, read or requested before Decide has
// admitted one. An authority that does not answer fails the handshakes of names without a
// certificate, and no others.
//
// A name for which the authority gave no certificate is left alone with a back-off, first for
// a minute, then longer, and is served over plain HTTP meanwhile. Certificates that exist stay
// in use.
package acme
