// Package attack finds what strangers can access of a project's records.
//
// Run works on a scratch copy of a place, which it always removes. It adds records of an
// end user, the victim, to every collection, because empty collections have nothing to
// lose. Then it sends the requests that a guest and a second end user, the stranger, can
// send, through Engine.Serve. It does not interpret rules: only the answers count.
//
// The order matters. First strangers create what they may (a membership may open a team),
// then everybody reads, then changes, and finally deletes. A stranger who can write values
// that rules ask for, such as a role, into the own account repeats everything with them.
//
// privacy.go and weigh.go decide the weight of a finding. A list that everybody may read
// has little weight: a guestbook is meant to be read. Fields that look private have more. Names
// can mislead, so the victim's private values have marks (marks.go): whoever gets one back in
// another field, or gets a hidden one back at all, has found something that is high.
package attack
