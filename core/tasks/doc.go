// Package tasks is the board of a project: tasks at work at once, each in a chat of its own on a
// working copy of the project, and merged into the project when it is done.
//
// # A task
//
// Begin makes the copy from the project's present state, what people have typed included
// (projects.Copies), and sends the message there (begin.go). From then on the copy is a project
// like any other, which people open for its files, chat and preview. Merge brings its changes into
// the project through package copies, as one version of the agent's (merge.go): all of them or,
// with a conflict, none. Resolve gives the copy the project's present files with markers at the
// conflicting places; the agent settles them and the task is merged then, or a person does both
// (resolve.go). Discard removes the copy; after a crash the worker or the purge of core/projects
// does (worker.go).
//
// # What is stored
//
// A task's row says how far it has come. Whether the agent works is not stored: the copy's chats
// know it, so a killed process leaves no task that seems to work. Every step can be repeated:
// DueAt says when the worker looks at the task, and while a process works on a step it is the
// end of its lease, which the process renews (lease.go, worker.go). A merge is one version that carries the task's id, so a
// repeated merge recognises its own. What a killed merge has staged in the files, another
// merge that comes first makes part of a version of people: no edit is lost, but the task
// has no version then.
//
// # Checks
//
// Where there are checks and a browser, a merge first gives the copy the project's present files
// below the task's changes, plays the checks there, and lands only on the project that they were
// played on (rehearsal.go). What fails there is played in the project as it is, too, because an older
// outcome says nothing of it. A check that fails only with the task holds the
// merge back: a person merges nevertheless, mends the copy, or lets the agent do it. So that several
// merges do not spoil each other's rehearsal, a process merges the tasks of a project one by one.
// If people change the project all the time, the merge lands after some attempts and the checks are
// played on the project afterwards, as after a merge that ignores them: the task then says
// which fail.
//
// While a merge lands, nobody sees or changes the copy (projects.Copies.Suspend), until the task is
// merged or open again. So everything that was saved in the copy is part of the merge, and nothing is
// saved that the copy would take with it.
//
// # After a merge
//
// The chat moves to the project, as a copy with the task's id, and the working copy is removed. The
// merge can be undone like any version of the agent's.
package tasks
