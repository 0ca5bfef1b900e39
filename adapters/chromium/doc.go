// Package chromium opens pages with Chromium, inside bubblewrap.
//
// A page of a project is untrusted code, so the browser has no network at all. It passes every
// request of a page to this process, over the pipe that controls it, and gets what the service's
// own handler answers for the page's host. A process serves the
// tabs of one tenant, starts with the first, and ends when none was open for a minute, since
// it takes some hundred megabytes. After a failure it is replaced.
//
// The browser takes answers as a whole, so streams of events go another way: pages have an
// EventSource that asks this process, which hands them event by event (streams.go).
//
// A page that has nothing under way cannot change by itself, so waiting for it ends early (rest.go):
// the browser reports requests and navigations, and a script among the page's own tracks timers,
// frames, messages and other asynchronous work (web/underway.js).
//
// What the page says is bounded: a message of the browser that is too long ends it
// (messages.go), what a tab says of the page is cut to the bounds of the port.
package chromium
