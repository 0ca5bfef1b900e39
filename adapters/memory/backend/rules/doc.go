// Package rules asks filters about records: the rules of collections, and the filters and sort
// orders of requests (package filter reads them).
//
// A path through relations is a join, as in SQL: a comparison holds for a record if it holds for
// some choice of a record for each join, and unless it has a question mark, for every value at the
// end of its paths.
package rules
