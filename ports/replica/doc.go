// Package replica is the port to replicated documents: the texts of a project that
// several people edit at the same time, each on a copy of their own, and that come out
// the same on every copy, in whatever order the changes arrive.
//
// Changes travel as updates. What an update is made of is between the replicas and the
// clients that people use; here it is bytes. There is one adapter, which speaks the
// clients' language and keeps all that it holds in memory: a simpler one with a format
// of its own would hold a room in which no client is understood, so hosts that want
// nothing on disk use the same.
//
// Positions are bytes of UTF-8 here. Clients count units of UTF-16; edits cut only between
// characters, because every replica that cuts through a surrogate pair replaces the half by
// U+FFFD.
package replica
