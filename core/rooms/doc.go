// Package rooms is the rooms in which people and the agent edit a project's files
// together: who is there and where, the shared document, how it and the disk keep up
// with each other, and what members are told.
//
// People type in a room while the API, the agent and the disk replace whole files. A
// writer changes the text that it has read, and people may have typed in the room
// since. So the change is the difference between the text that was read and the one
// that was written. A three-way merge (Rebase) carries it over to the room's current
// text, so that nothing typed meanwhile is lost.
package rooms
