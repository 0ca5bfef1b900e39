// Package rooms is the rooms in which people and the agent edit a project's files
// together: who is there and where, the shared document, how it and the disk keep up
// with each other, and what members are told.
//
// What people type at the same time is merged by the document itself (replica.Document;
// adapters/yjs, integrate.go), so that all replicas come out the same.
//
// People type in a room while the API, the agent and the disk replace whole files. A
// writer changes the text that it has read, and people may have typed in the room
// since. So the change is the difference between the text that was read and the one
// that was written. A three-way merge (Rebase) carries it over to the room's current
// text, so that nothing typed meanwhile is lost.
//
// # How a room and the disk keep up
//
// For every shared path a room remembers what the disk had when it last looked.
// document.mergeFile is the one place where the disk comes in: it takes the difference between
// that and what the disk has now, and carries it over to the room's text (Rebase). The
// difference is by lines and then trimmed, so cursors elsewhere stay. The merge runs under the
// project's lock (files.Writer.Amend), both when a notice says that files changed (follow.go)
// and right before the room writes (save.go). So neither side ever overwrites what it has not
// seen.
//
// Saves are debounced: edits are saved when people pause for 0.3 s, at most 1.5 s after the
// first edit, at once when the room empties, and before anybody reads. Every reading and
// writing method of the pipeline asks unsaved.Registry first.
//
// The database gets the update before the disk gets the text (store.go), together with what
// the disk had (Bases). After a crash in between, the next opening (open.go) knows which of the
// two is newer. What the disk has got is booked before the lock is released, and the database forgets
// the bases once all is written; else a room would take its own text for somebody else's and
// have it twice.
//
// # Who owns a room
//
// A room belongs to one process at a time, by a claim in the database (claims.go) that is renewed
// every 3 s and named in every write (storage.Rooms). The row's lock decides: of two owners one
// stores, and the other gets conflict. A claim that ran out stays its owner's until another
// process claims the room. So a process that stood still for a moment continues, and one that
// was replaced finds out with its next write, closes the room and saves nothing.
//
// Every 5 s, and when the project's record changes, each member is checked by the gate again.
// The room also finds out then what members could not be told because the disk, the database
// or the bus was away (follower.catchUp).
//
// # What runs under which lock
//
// What the goroutines of a room share is its state (state.go): the members, their presence and
// the document. Only guarded.lock hands it out. The parts of a room (opener, saver, rewriter,
// follower, gatekeeper) have it for moments, and never while they wait for the disk, the
// database or the bus. Locks are taken in this order: opener.mu, saver.saving, the project's
// lock, the state's, and those of members and their queues. Service.mu comes before the
// state's.
//
// # What a room costs
//
// A document that panics ends its room and nothing else: the next member opens it from what is
// stored. A document in which nobody has typed for 30 seconds rests (replica.Document.Rest).
// It is held as the bytes that the next member is sent anyway, a tenth of what its items take,
// and is rebuilt when somebody types. Documents only grow, because deleted text leaves tombstones.
// So texts of very many pieces are rewritten when a room opens (rewrite.go; replica.Document.Renew),
// as a change that stock clients accept; the former document is kept for the edits of those who
// come back later.
//
// A member's queue holds 256 frames or 8 MiB (queue.go). Sync replies do not wait in it: they
// are made when they are sent (sync.go). When a queue is full there is back-pressure: the
// sender, a socket that types or the room itself that reports files and chats, waits until half
// of the queue is read. A member who has not read that after half a second is disconnected. So a
// burst is as fast as its readers, and a member who reads nothing holds the others up once.
//
// # What is kept of a room
//
// A row and a log (storage.Rooms, core.RoomState): updates, which the owner compacts after a
// few hundred, the texts that the disk had when the room's went on (Bases), and the document's
// epoch. The binary state has to be kept beside the files. Without it, a client that comes
// back meets another text under the same path, and the older one may win. The log goes with
// the project, duplicates begin without one, and backups have it because they copy the whole
// database.
package rooms
