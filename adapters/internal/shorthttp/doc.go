// Package shorthttp carries short HTTP requests over one connection between two processes:
// one frame per request and one per answer. Go's HTTP/2 takes about 40 µs more processor
// time per request, a tenth of what a page of records takes.
//
// Requests with long bodies, streams and files use HTTP/2 instead. So do long answers: the
// frame then tells the client where to fetch the answer (Server.ServeHTTP). So a long answer
// neither delays others nor fills the client's memory while its reader is slow.
//
// # Frames
//
// A frame consists of its length in 4 bytes (big endian), the number of the request in 8
// bytes, its kind in one byte, and its content: strings with their lengths, then the body.
// The server may be hostile: the client limits what it accepts, and gives an answer only to
// the caller of a pending request.
package shorthttp
