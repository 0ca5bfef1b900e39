// Package looks gives out addresses at which people see a project's pages and nothing else of it: a
// link for anybody that a member shares, a look at an earlier version, and one at a deployment.
//
// An address is a host of its own below the domain of previews. Its label is the id of a stored link
// and a token of that, so nobody guesses one, and a deleted link ends at once. The addresses of
// members' looks change with the preview's, when somebody leaves the workspace for example. What the
// host serves is built as for publishing: there are no sources in it, and no channel to the studio.
//
// A link that is shared ends with its maker's membership or account: nobody else knows whom they gave
// it to. While the maker could not share it, because the project is hidden from them for example, it
// shows nothing.
//
// A link that is shared shows the present state, with test data as visitors see it. The looks of
// members are read-only: no request there changes test data.
//
// Working finds the version to go back to when the present state is broken. Whether a version works is
// not stored: it is built and opened when somebody asks, so what is said of it is true then.
package looks
