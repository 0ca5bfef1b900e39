// Package comments has what people say to each other about the pages of a project: threads that are
// pinned to an element of a page, with replies.
//
// A thread is its first comment and the replies to it. It is open until somebody resolves it, and
// anybody may reopen it. People change what they wrote themselves; admins of the workspace also delete
// what others wrote. Deleting the first comment deletes the thread.
//
// The anchor describes the element as people picked it: its place in the sources, a selector and the
// beginning of its text. Pages change, so the studio finds the element by all of them, or says that it
// is gone. Nothing here reads a page.
//
// Comments belong to members, whatever the project's visibility, and go with the project. What
// somebody wrote who left stays and names a person who is not there any more, like their messages.
// Working copies have no comments, and neither does a duplicate.
//
// Followers of the project hear that its comments changed, and read them again. The event
// comment.created tells webhooks, and a mail tells the others in the thread.
package comments
