// Package walship keeps a durable copy of an open SQLite database in another directory, such as
// one on a file system that several machines share. SQLite itself cannot work there: its index of
// the write-ahead log is memory that processes of one machine share.
//
// The durable directory has a base, data.db, and segments, wal-1, wal-2 and so on. A segment is the
// beginning of one write-ahead log of SQLite, up to the end of a transaction. Base and segments,
// applied in their order, are the database. Applying a segment twice, or one that the base holds
// already, changes nothing, because the log has whole pages.
//
// Ship appends the transactions that are new in the log to the last segment, and waits until they
// are on the disk. A database is shipped by its only user: it must not be checkpointed by anybody
// but Rotate, which is why the pragma wal_autocheckpoint is 0 and a connection stays open (the
// last one that is closed makes a checkpoint). Rotate ends a segment together with SQLite's log,
// and replaces the base once the segments are larger than it.
//
// # Why this is not Litestream
//
// Litestream ships once a second, from a process that watches the database. Here the writer waits
// for its own transactions, so that an acknowledged write is on the shared disk, and its process
// can be lost together with its machine. What remains is copying whole transactions of a log whose
// format is documented, into files, without another's threads, connections and read locks in every
// one of thousands of databases.
//
// # Who else may write
//
// Files are never changed under their names, other than the last segment, to which only its opener
// appends. Open makes a new base of what it found, so an earlier opener that is still alive appends
// to a file that nobody reads any more. That one finds out by Log.Fenced.
package walship
