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
//
// # Notices
//
// Notices go to the subject <NATS_PREFIX>.notices.<project> as JSON with a version
// (notice.go). All followers of a project in one process share one subscription. Notices
// within a process do not take the way over the server, so they arrive while the server is
// away.
//
// Notices are never the only copy. Whatever may have been lost becomes a core.NoticeLagged, at
// which a follower reads again: when the follower is too slow, when a notice is larger than
// the server takes, and when its process was cut off. The publisher's side is less obvious. A
// process whose connection breaks does not know which of its last notices arrived. So it
// remembers about which projects it published in the last seconds (recent.go) and, once it is
// back, tells their followers in all processes to read again.
//
// A silent server is noticed within 6 seconds. Until then every call is bounded by 2 seconds;
// after that, calls fail at once.
package nats
