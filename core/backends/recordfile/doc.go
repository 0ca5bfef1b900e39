// Package recordfile reads and writes files with the records of a collection: tables (CSV) and JSON.
//
// A file may come from another database, such as Postgres. Its values are read by the types of the
// fields (cell.go, postgres.go), and ids that the collection does not accept are replaced in a way
// that keeps relations and lets a file be imported again (ids.go). What is wrong in a file is
// collected, so that people learn of all of it at once (reading.go). Records stand behind those that
// they refer to (order.go).
package recordfile

// Format is the format of a file of records.
type Format string

// The formats.
const (
	JSON Format = "json"
	CSV  Format = "csv"
)

// Bounds of a file that is read. Its records are written in one transaction, for which the other
// writers of a data set wait: the most records take some ten seconds. Hashing a password is slow on
// purpose.
const (
	MaxBytes     = 64 << 20
	MaxRecords   = 100_000
	MaxPasswords = 100
)
