// Package gitsync keeps projects and branches of repositories on other hosts alike, in both
// directions.
//
// # An exchange
//
// A project and its branch share one history. A worker claims each connection with a lease when it is
// due: within a minute while all is well, at once when somebody asks or the host calls the webhook,
// and with exponential back-off and jitter after a failure (worker.go). An exchange then does this
// (exchange.go), again from the start if somebody else pushes in between:
//
//   - Pull what the project lacks. It passes the same gate as a push of a git client, in quarantine.
//   - If the project has nothing else, it takes over the versions with their ids. If both sides
//     have versions of their own, a version with two parents joins them: a three-way merge on the
//     newest version that both have (merge.go). All of this is files.Arrivals.Join, under the
//     project's lock, after open edits were saved and became a version. It is done or not done, also
//     after a crash.
//   - Push the project's newest version, if the branch does not have it. A push names the version
//     that it replaces and builds on it, so it never forces.
//
// Nothing is lost: every version of both sides stays an ancestor of what both have in the end. Two
// projects without a common version, such as a new project and an old repository, are merged with
// nothing as their base: files that are equal stay, and others conflict.
//
// Only HTTPS is spoken, with a token. Deploy keys need SSH, whose connections neither the guard of
// outgoing connections nor the reader of packs in adapters/git cover.
//
// # Conflicts
//
// A merge with conflicts changes nothing on either side. The connection names them, and people
// settle each with our version, theirs or a text (settle.go). A settled conflict names the contents
// that were seen, so it cannot overwrite what has changed since. Or the agent settles them in a task
// of its own; once a person has merged the task, the exchange takes the project's side.
//
// # What is kept secret
//
// The token is sealed and bound to the connection. It is in no answer and no log; errors of the port
// never have it. The address of the webhook is shown once, and its requests must prove a secret, as
// GitHub, GitLab, Gitea and Forgejo do it (hook.go).
package gitsync
