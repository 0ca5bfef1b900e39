// Package guard decides, before a handler runs, whether a request may have its route: it
// applies the rate limits, refuses what pages of other origins send, finds out who calls
// (authentication) and checks the scope of API tokens. It also owns the session's
// cookies. What a role may do is for the use cases.
package guard
