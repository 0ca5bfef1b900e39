// Package siteaccess decides who sees a published site that is not public.
//
// A visitor shows a ticket, which adapters/sitehost keeps in a cookie of the site's host. The site's
// password gets one that lives until the password changes, for 30 days at most. A member of the
// workspace comes from the studio: a pass, which works once and for a minute, leads to the site's
// host and is exchanged for a ticket there. Tickets are sealed and bound to their project, so those
// of another site open nothing. A member's ticket is checked at every request
// against the workspace's members, and ends with the session or API token that it began with.
package siteaccess
