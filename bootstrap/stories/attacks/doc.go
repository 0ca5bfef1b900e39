// Package attacks calls every route as every kind of caller and compares the answers with
// the table of permissions. It also tests forged tokens, foreign pages and access from
// other workspaces.
package attacks
