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
// (linking.go). An account that never proved its address loses every other way in when
// somebody proves it (shutout.go).
//
// # Sessions
//
// A session is a record (core.Session). Its tokens are signed and carry its id and the user's
// credential version. A session ends by signing out, by the reuse of a refresh token, and when
// the credential version is raised, which ends all sessions of the account. standings.go caches
// for 3 seconds which sessions are open, so that calls need no look-up. People list and end
// theirs (ownsessions.go); streams ask again every few seconds (Authenticator.Ended).
package accounts
