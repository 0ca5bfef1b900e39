// Package websocket lets clients into rooms over WebSockets. It
// drives package rooms and knows nothing of HTTP's routes: its caller has found
// out who calls.
//
// A socket has two goroutines: one reads what the client sends and does it, the other
// writes what the room tells. Each may find that the socket has to end, and the first
// one says with which code. The handler of the request returns when both run, so that
// nothing of HTTP is held for the hours that a socket lasts.
//
// Codes in 4400..4499 tell a client that coming again does not help as it is; clients of
// y-websocket stay away then. After any other code they come back, so where coming back
// does help (4408, 4413, 4429) they are told 1013.
//
// # The life of a socket
//
// The package guard of httpapi takes the token in the way that the route allows: query,
// subprotocol, header, or cookie with the studio's origin. It counts the call and checks the
// scope. Then openSocket of httpapi calls Sockets.Serve, which joins the room before the
// answer begins, so errors are ordinary JSON. After that the connection is taken over from
// net/http. Of the two goroutines, one reads messages, and the other writes the frames of
// rooms.Member.Next, several with one system call when they wait together (conn.go).
//
// closing.go is the one table from errors to close codes:
//
//	4400  malformed
//	4401  the token expired or the session ended
//	4403  access lost
//	4408  too slow
//	4413  too long
//	4429  too many connections, clients shown or mistakes
//	1003  a message of the other kind
//	1011  internal
//	1012  the room moves or the service stops
//
// Nothing is written without a deadline, the token is in no log, and no socket outlives its
// member or its token.
package websocket
