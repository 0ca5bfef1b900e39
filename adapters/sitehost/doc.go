// Package sitehost serves what people build: published sites by their slug or by their owners'
// own names, and previews by their secret label, each on a host of its own.
//
// Nothing of the API is reachable here, and no cookie or token of its users is read: a page of
// a site runs foreign code. A host serves a set of files that are found by name, so no path of
// a request ever reaches a disk.
//
// # A published page
//
// The handler maps the host to a slug, publish.Service.Site maps the slug to the live
// deployment, and the handler serves from the deployment's list of files: entity tags,
// compressed forms, SPA fallback. Hashed assets of the previous deployments stay for 24 hours.
// A name of people's own goes through publish.Service.SiteAt instead; Find does that before
// the API sees the request.
//
// Contents are cached in memory from the first request on, up to a number of bytes (bodycache.go:
// the CLOCK algorithm, an approximation of LRU, so that serving takes no lock). The lists of
// files are an LRU cache too (fileset.go). Files over 4 MiB are sent from the disk. Each content
// is compressed once, after the answer.
//
// # When there is no page
//
// For a path that it lacks, a site answers with its own 404.html to clients that take HTML
// (showMissing in published.go). A site without one treats a path without an extension as a
// client-side route, which gets index.html (serveRoute). Everything else is a notice: a page for
// people, one line of text for programs (notice.go). Clients of a backend get it in their form
// (showFailure in data.go).
//
// # A preview's page
//
// client.go puts the client (client.js) into pages of previews. In a page that is framed by
// the studio, the client loads bridge.js, which lists the messages between the page and the
// studio: where the page is, navigate, pick, show. The two are on different hosts and talk by
// messages only. The page believes the studio's origin and its parent window; the studio
// believes the frame's window and the preview's origin. Anything in a page can speak like the
// bridge, so the studio checks every field and cuts it to a length. The bridge loads picker.js
// when somebody first edits on the page, and that loads classes.js
// and layers.js.
// For comments it loads pins.js, which finds their elements again.
//
// The host of a preview changes with the members of its workspace, and what pages keep in the
// browser is the host's. So the bridge tells the studio what PocketBase's client keeps of the
// end user who is signed in, and the studio gives that to the bridge at the next host of the
// same project. A preview in a tab of its own goes to the next host through the studio
// (core/preview), and takes the end user along in fragments of addresses (client.js).
//
// # Signing in with a provider
//
// PocketBase's client opens a window at a provider of OAuth, which sends the browser back to
// /_data/api/oauth2-redirect with a code. The backend hands the code to the page that waits
// (signin.go). A site has that address on its own host. The host of a preview is a key and
// changes, so leave.go leads the browser over the preview's host to the provider, with an
// address of the project on the API's host in its place. That address is answered here, too:
// it takes the code from browsers that have left a preview of the project in the last minutes,
// and leads nowhere.
//
// # Development servers
//
// proxy.go is a reverse proxy for previews with the runtime node, WebSockets included. It
// sends Host localhost:5173 and no cookie or token. It removes response headers that reach
// beyond the preview (cookies with a domain, framing, HSTS, …) and puts the client into pages
// with data-runtime="node", so that the client leaves updates and errors to the page itself.
// While nothing answers, a notice shows the progress and refreshes itself.
//
// # Certificates
//
// With TLS=acme, adapters/acme asks Naming at the first handshake of a name. The host of
// APP_URL, live sites and active domains get a certificate, and at most 20 previews an hour
// get a new one. Any other name is refused before anything is read or requested.
package sitehost
