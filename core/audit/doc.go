// Package audit holds the security log: who did what, for the people who answer for a
// workspace or an account.
//
// Events of a workspace are for its admins; events of an account are for its person alone. The
// operator reads both in the table audit_entries, where the log of a deleted workspace stays
// until it is pruned like any other.
//
// An entry is recorded in the transaction of what it tells of. An event of a person's account
// is in the log of each workspace that the person is in.
package audit
