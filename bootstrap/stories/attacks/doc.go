// Package attacks plays every route as every kind of caller against the table of who may do
// what, and what forged tokens, foreign pages and other workspaces try.
package attacks
