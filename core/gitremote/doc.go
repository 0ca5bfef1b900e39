// Package gitremote lets git clients clone, fetch and push projects.
//
// Every project is a git remote at /git/<projectId>.git with one branch, main. Callers
// identify themselves with Basic, with an API token as the password, or with a bearer token,
// but never with the cookie. Cloning takes the scope projects:read, as reading versions does;
// pushing also takes files:write. Errors before git's own answer begins are plain text for
// clients that call themselves "git/…", because those show nothing else to people.
package gitremote
