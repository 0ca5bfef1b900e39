// Package sql runs SELECTs over tables in memory, in SQLite's dialect: joins, groups, aggregates and
// some functions, but no subqueries, no compound SELECTs and no window functions.
//
// A query is parsed once (Parse), and bound to the tables of the moment whenever it runs
// (Select.Run). Many may run the same Select at a time.
package sql
