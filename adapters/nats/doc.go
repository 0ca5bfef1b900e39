// Package nats carries what the processes of one installation tell each other over a
// NATS server: the notices of ports/broadcast, and the questions of ports/unsaved.
//
// It uses core NATS alone, which delivers at most once and keeps nothing. So everything
// that may have been lost is made up for by telling those concerned to read again:
// followers whose own connection was interrupted, and the followers of the projects
// about which an interrupted process published lately.
package nats
