// Package replica is the port to replicated documents: the texts of a project that several
// people edit at the same time, each on their own copy. All copies converge, in whatever
// order the changes arrive (a CRDT).
//
// Changes travel as updates. Their format is between the replicas and the clients; here
// they are bytes. There is one adapter, which speaks the clients' format and works in
// memory. A simpler one with its own format would not understand any client, so hosts
// without a disk use the same.
//
// Positions are bytes of UTF-8 here. Clients count units of UTF-16; edits cut only between
// characters, because every replica that cuts through a surrogate pair replaces the half by
// U+FFFD.
package replica
