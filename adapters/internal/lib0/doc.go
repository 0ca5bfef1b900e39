// Package lib0 reads and writes the binary encoding that Yjs and its protocols are
// made of, which is named after the JavaScript library that defines it.
//
// A number is written seven bits a byte, the lowest first; the highest bit of a byte
// says that another one follows. Numbers are those that JavaScript holds exactly, up
// to MaxInteger. Bytes and texts are preceded by their length in bytes. A value of any
// type begins with a byte that names the type.
//
// A Reader never panics, reads nothing beyond its input, and allocates nothing whose
// size the input merely claims.
package lib0
