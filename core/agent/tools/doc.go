// Package tools holds everything that the agent can do to a project: the table of tools, and the checks
// before a change.
//
// workbench.go offers the tools of a chat's mode, and carries out calls. A mode decides in
// this table (allTools), and nowhere else, which tools there are. Tools work on the Project
// and on what the run remembers of its files (memory.go). It learns that from results in the
// log alone, so that a resumed run remembers the same.
//
// change.go makes changes. An edit names a version that the model knows, by hash or by the
// memory (optimistic locking). Package edits finds its place, and package writegate checks every
// write before the disk.
//
// intent.go stores a write-ahead note before a change, and tells after a crash whether the
// change was made.
//
// backend.go works on the test data of a project's backend, and tells what a change of its schema
// did. A model is told of these tools once the project has a schema file; guide.go tells how to
// write one.
//
// eyes.go looks at the project's pages and uses them, where pages can be opened (core/browsing).
//
// person.go is for the person: a list of steps (todo.go), and a question, with which the run ends
// (ask.go). fetch.go reads pages of the web, only of hosts that a person named or the workspace
// lists: a page that misleads the model must not have it carry the project elsewhere.
//
// paint.go paints pictures, where the workspace's provider has a model that does and a price for it is
// known. What a vendor answers is data: its bytes decide what it is, and under which ending it is
// kept.
//
// In a window too small for all declarations, the extra tools are not declared.
//
// # Adding a tool
//
//  1. Add its row to allTools: a name, a description that tells a model when to use it, a JSON
//     schema without additional properties, and whether it changes anything.
//  2. Write its function beside those of its kind. Decode with decodeArgs, and return errors
//     that say what to do next.
//  3. What it needs of the project goes into Project and core/chat/projects.go.
//  4. A tool that changes files goes through change, which reports the changes, checks the
//     build and makes the run resumable. It names the file's hash in the first line of its
//     result.
//  5. modes_test.go of core/agent and the tests of the schemas find the new row by themselves.
//     Write a case for every way in which its arguments can be wrong.
package tools
