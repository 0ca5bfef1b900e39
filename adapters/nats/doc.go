// Package nats carries what the processes of one installation tell each other over a
// NATS server: the notices of ports/broadcast, and the requests of ports/unsaved.
//
// It uses core NATS alone, which delivers at most once and keeps nothing. So everything
// that may have been lost is made up for by telling those concerned to read again:
// followers whose own connection was interrupted, and the followers of the projects
// about which an interrupted process published lately.
//
// Edits that rooms hold are saved before files are read. A reader looks up who has claimed
// the project's room, which is one look-up by key, and asks that process alone. Nobody
// derives over the bus what the claim says. An owner that is gone or cut off does not hold
// readers up: the server says that nobody listens, and a process that is cut off saves at
// that moment. One that has stopped keeps its subscription, so readers wait for it, each
// for unsaved.Bound, until its claim lapses.
package nats
