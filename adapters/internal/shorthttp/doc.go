// Package shorthttp carries short HTTP requests over one connection between two processes, each in
// one frame, and its answer in another. Go's HTTP/2 takes some 60 µs of processor time more for
// each, which is a quarter of what a page of records takes.
//
// Requests with long bodies, streams and files go over HTTP/2, beside this. So do answers that
// turn out to be long: a frame says where to fetch one (Server.ServeHTTP), so that it fills no
// memory when its reader is slow, and holds up no other.
//
// # Frames
//
// A frame is its length in 4 bytes (big endian), the number of the request in 8, its kind in one,
// and its content: texts, each after its length, and last the body. The server may be hostile: what it
// sends is bounded, and reaches the caller of a request that waits only.
package shorthttp
