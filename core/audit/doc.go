// Package audit holds the security log: who did what that those who answer for a
// workspace, or for an account, want to know of later.
//
// What happens in a workspace is its admins'; what happens to an account is its
// person's alone. The operator reads both in the table audit_entries, where
// the log of a deleted workspace stays until it is pruned like any other.
//
// An entry is recorded in the transaction of what it tells of. An event of a person's account
// is in the log of each workspace that the person is in.
package audit
