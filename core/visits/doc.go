// Package visits counts how often the pages of published sites are opened, without telling one
// visitor from another: no cookie, no address and nothing else of a person is kept.
//
// A Counter adds up in memory and writes every few seconds. A process that is killed loses what it
// counted since. A visit is a page that somebody opens from elsewhere; a page that is opened from
// another page of the same site is a further view.
package visits
