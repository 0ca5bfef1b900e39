// Package yjs is a replica of Yjs documents in Go: it speaks version 1 of the update
// format of Yjs 13, so that the clients of people are stock yjs and y-websocket.
//
// # The document
//
// Everything that anybody wrote is a unit: a unit of UTF-16 of a text, an element of a
// list, the value of a key, a format. Its id is the client that wrote it and the
// client's clock, which counts its units. Units that were written one after the other
// are kept together as an item. All items of a client, in the order of their clocks and
// without a gap, are the client's list (clientStructs); the state vector is how long
// each list is, so it says exactly what a replica has.
//
// What comes in an update is a struct with the ids of all that it names (updateStruct). Its
// integration makes the item, which points to what it names, and leaves the struct as it
// came: it may have to wait or to be integrated once more.
//
// Items also belong to types: a text and an array are a list of items, a map is one
// list for each key, whose last item is the value. A type is the content of an item, or
// is at the root of the document under a name. Here the root "files" is a map from
// paths to texts; all else is carried along.
//
// # Why all replicas come out the same
//
// An item says between which units it was written: its origin and its right origin.
// Replicas integrate items in any order that gives an item what it names first; what
// comes too early waits (schedule.go). At its place an item may meet others that were
// written there at the same time, and which of them comes first is decided by their
// origins and ids alone, never by who came first (integrate.go). That is the algorithm
// YATA: Nicolaescu, Jahns, Derntl, Klamma, "Near Real-Time Peer-to-Peer Shared Editing
// on Extensible Data Types" (2016).
//
// Deletion is a mark, and marks only come: an update carries them as ranges of clocks.
// At the end of a transaction (compact.go) deleted items lose their content, what stood
// inside a deleted type becomes garbage, which is a length only, and neighbours that
// belong together become one item. So a run of typing is one item, and a deleted text
// leaves a tombstone of some bytes. Renew (renew.go) rewrites texts with very many of
// them, and only that frees their items.
//
// # What holds between transactions
//
//   - A client's items begin at clock 0 and follow each other without a gap.
//   - Every item that is no garbage is in exactly one list of its parent.
//   - Of the items of a key all but the last are deleted.
//   - Deleted items have no content; garbage has nothing but its clocks.
//   - Items of a list that are no types share the one place of the list (place.go).
//   - Each text belongs to one item, and its memory is at most some times its length.
//   - Two neighbours of a client's list could become one only where nobody touched
//     them since: Yjs joins at the same places, so states are the same byte for byte.
//
// check_test.go holds documents to these.
//
// # What differs from Yjs
//
// An update that is malformed, or that takes more work or memory than editing causes,
// is refused as a whole: planning looks at clocks before anything changes, and what
// shows later is rolled back. Objects and values are kept as the bytes that came and
// are never taken apart. Formats that are redundant are left alone, undo and snapshots
// belong to clients. Half a surrogate pair becomes U+FFFD where an item is cut, as in
// Yjs; no edit of this package cuts one.
//
// Clocks and lengths have 32 bits, so that an item takes 80 bytes; numbers of clients
// have 53. An update with a clock beyond that, which is more than four thousand million
// units by one client, is malformed. A document takes another number for its own edits
// long before.
//
// Where people undo, Yjs may give items origins that cross. On those even replicas of
// the real Yjs do not always agree; this one then comes out as a Yjs does that was
// given the same updates in the same order.
//
// The format and the steps of integration, joining and collection are those of Yjs,
// whose notice is in LICENSE.
//
// # Why an own replica
//
// A Go module of Yjs documents exists, github.com/Deln0r/ygo. This package stays because the
// service depends on what it promises about hostile updates and memory. An update is refused
// before it changes anything, its work and memory are bounded, an item takes 80 bytes, and a
// document that rests is as small as its encoding. That module has not been measured against
// these. Running the real Yjs in an embedded JavaScript engine takes seven times the processor
// time that it takes in Node.js.
//
// # How it is tested
//
// testdata/peer has the real Yjs as one file. Tests replay traces that it wrote, byte for
// byte, and let a Node.js child edit at random beside this package: 5,000 edits a run, more
// with YJS_OPERATIONS, from YJS_SEED on.
package yjs
