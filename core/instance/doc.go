// Package instance holds the use cases of those who run the installation: who may sign up, its
// settings, its people, invitations and workspaces.
//
// # Settings
//
// Admins decide in the database, at once for all processes, because every use reads it. What the
// environment fixes (Environment) wins and cannot be changed.
//
// # Who may sign up
//
// Doors decides in the transaction that creates an account. The first account is always admitted
// and is an admin's: transactions are serializable, so exactly one account is the first. Somebody
// with an invitation proves it with its secret, or by a provider that verified the address: the
// address alone would let in anyone who guesses it. A refusal is the same for addresses with and
// without an account.
//
// Under domains an address lets people in, and anybody can type one. So there people can only use
// their account until they prove its address (RequiresProof), as where admins require that; a new
// address has to let them in as well (CheckMove); and who has not proven theirs, or is from
// elsewhere, invites nobody whom the policy keeps out (opensDoors).
//
// # What admins do not see
//
// No action of admins reads a project.
//
// # Who leaves
//
// Departures deletes accounts, for their owners and for admins, in one transaction.
package instance
