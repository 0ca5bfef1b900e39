// Package websocket lets clients into rooms over WebSockets (contract, section 7). It
// drives package rooms and knows nothing of HTTP's routes: whoever serves it has found
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
package websocket
