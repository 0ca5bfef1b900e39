// Package walship keeps a durable copy of an open SQLite database in another directory, such as
// one on a file system that several machines share. SQLite itself cannot work there: its index of
// the write-ahead log is memory that processes of one machine share.
//
// The durable directory has a base, data.db, and segments, wal-1, wal-2 and so on. A
// segment is the beginning of one write-ahead log of SQLite, up to the end of a
// transaction. The database is the base with the segments applied in order. Applying a
// segment twice, or one that the base already contains, changes nothing, because the log
// has whole pages.
//
// Ship appends the new transactions of the log to the last segment and syncs it. Only one
// process uses the database, and only Rotate makes a checkpoint: the pragma
// wal_autocheckpoint is 0, and one connection stays open, because closing the last one
// makes a checkpoint. Rotate ends the segment together with SQLite's log, and replaces the
// base once the segments are larger than it.
//
// Copy makes a database of what was shipped, while another process may go on shipping.
//
// # What opening costs
//
// Open reads the durable directory whole, writes a database of the same size beside it, and, if
// there were segments, writes that back as the new base. A database that its opener has closed
// (Finish) and opens again (Resume) is neither read nor written, if the directory is as it left it.
//
// # Why this is not Litestream
//
// Litestream ships once a second, from a process that watches the database. Here the writer
// waits for its own transactions, so an acknowledged write is on the shared disk even if
// the machine is lost. All that this needs is to copy whole transactions of a log with a
// documented format. It needs no further threads, connections or read locks for each of
// thousands of databases.
//
// # Who else may write
//
// Files never change under their names, except for the last segment, and only its opener
// appends to that. Open makes a new base of what it finds. An earlier opener that is still
// alive then appends to a file that is never read again, and learns that from Log.Fenced.
package walship
