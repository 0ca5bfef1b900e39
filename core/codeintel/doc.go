// Package codeintel helps people who edit TypeScript and JavaScript, as their own editors do: it
// completes names, says what a name is and where it is defined, finds errors while somebody types,
// and formats.
//
// # Where it runs
//
// TypeScript's own language server answers, one process a project, in the sandbox of commands
// (ports/languageserver, adapters/bwrap). The alternative was TypeScript in a Web Worker of the
// person's browser. It would cost the service nothing, but: the compiler that checks types here is
// TypeScript 7, a native program without a library for browsers, so the editor would tell other
// errors than the agent and the check before publishing; an older one weighs 9 MB, which the
// binary would carry and every browser load; and every browser would fetch the declarations of all
// packages (React's alone are 30 files), which are on this disk already. The server starts in a
// second, answers in milliseconds, and takes about 100 MB while somebody edits.
//
// # What bounds it
//
// servers.go has the servers of all projects, and server.go one of them. A server starts with the
// first question about a project, ends when nobody has asked for idleTime, and gives way to others beyond Settings.MaxServers: the least recently used one of the
// workspace that holds most. Of a process that crashed or exceeded its limits, the next one starts
// after failurePause. A project has at most maxAtOnce questions at a time.
//
// # What it sees
//
// A question brings the text of its own document, saved or not. All other files are those on the
// disk, to which rooms save within a second. The server follows the project's notices, and hears
// of all that were published before a question. If a notice may concern the packages, the server
// is replaced.
//
// # Why questions are POST requests
//
// A question is independent of all others, so any process can answer it, the one gate and the one
// rate limit hold for each, and what a client aborts is given up. A WebSocket would save some
// milliseconds and need all of that again.
package codeintel
