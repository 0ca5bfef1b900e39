// Package values converts and compares the values of records as SQLite and PocketBase do.
//
// A value is nil, bool, float64, string, []string, or what JSON has. A plain value is one that
// SQLite could hold: nil, float64 or string.
package values
