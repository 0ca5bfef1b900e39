// Package attack finds out what strangers reach of a project's records (contract, section 10.1).
//
// Run works on a scratch copy of a place, which it always removes. It puts records of an end
// user, the victim, into every collection, because empty ones have nothing to lose, and then
// sends the requests that a guest and a second end user, the stranger, can send: real ones,
// through Engine.Serve. So it does not read rules to judge them; what counts is the answer.
//
// The order matters. First strangers create what they may (a membership may open a team), then
// everybody reads, then changes, and deletes at last. A stranger who can write into the own
// account what the rules ask for, such as a role, tries all of it again with that.
//
// What is worth a refusal is judged in privacy.go and weigh.go. A list that everybody may read is
// no finding of weight: a guestbook is meant to be read. Private-looking fields are.
package attack
