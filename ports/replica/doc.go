// Package replica is the port to replicated documents: the texts of a project that several
// people edit at the same time, each on a copy of their own. All copies end up equal, in
// whatever order the changes arrive.
//
// Changes travel as updates, which are bytes here; their format is between the replicas and
// the clients that people use. There is one adapter. It speaks the clients' language and keeps
// everything in memory, so hosts that want nothing on disk use it too: a simpler one with a
// format of its own would understand no client.
//
// Positions are bytes of UTF-8 here. Clients count units of UTF-16; edits cut only between
// characters, because every replica that cuts through a surrogate pair replaces the half by
// U+FFFD.
package replica
