// Package audit has the security log: who did what, for the people responsible for a
// workspace or an account.
//
// Entries about a workspace are for its admins; entries about an account only for its
// person. The operator reads both in the table audit_entries, where the log of a
// deleted workspace stays until it is pruned like any other.
//
// An entry is recorded in the transaction of what it tells of. An event of a person's account
// is in the log of each workspace that the person is in.
//
// Entries name people as they were called then. They keep the address of somebody who has deleted
// their account, in every log, until they are pruned: people who look up what happened need to know
// who it was.
package audit
