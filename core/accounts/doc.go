// Package accounts holds the use cases of people's accounts: signing up and in,
// sessions, and one's own profile.
//
// # What an answer does not tell
//
// No answer, status or amount of work tells whether an address has an account. A reset stores
// a job for the address, and looks for the account when the mail is sent. A sign-in always
// computes one hash. A failure is written to the audit log after the answer.
//
// # One person to an account
//
// An account is joined to one at a provider only by an address that both sides verified
// (identities.go). An account that never proved its address loses every other way in when
// somebody proves it (shutOut).
//
// # The second factor
//
// Sessions.open is the only way to a session of an account that exists. If the account has a
// second factor, it makes a ticket instead of a session, whose token SecondSteps.Finish exchanges
// for the session. Codes are counted for the account, and each works once (secondstep.go).
// Passkeys count as the factor, too (passkeys.go); package passkeysignin has their ceremonies. A
// reset of the password opens no session, and leaves the factor. API tokens do not need it. Only
// accounts with a verified address have a factor (factor.go). If the installation
// requires one and the caller has none, core.Actor.NeedsFactor is set when the session is looked up
// (standings.go), and so is NeedsEmail where it requires a verified address. API tokens and
// programs carry NeedsEmail, too. Where a workspace requires a factor, package access asks for it.
//
// # Sessions
//
// A session is a record (core.Session). Its tokens are signed and carry its id and the user's
// credential version. A session ends by signing out, by the reuse of a refresh token, and when
// the credential version is raised, which ends all sessions of the account. standings.go caches
// for 3 seconds which sessions are open, so that calls need no look-up. People list and end
// theirs (ownsessions.go); streams ask again every few seconds (Authenticator.Ended).
//
// # The end of an account
//
// An account is deleted by its owner, whose password confirms it (profile.go), or by an admin.
// Package instance has the transaction. Before that, people take along what the account holds
// (export.go).
package accounts
