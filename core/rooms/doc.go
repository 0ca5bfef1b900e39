// Package rooms is the rooms in which people and the agent edit a project's files
// together: who is there and where, the shared document, how it and the disk keep up
// with each other, and what members are told.
//
// People type in a room while the API, the agent and the disk replace whole files. A
// writer has changed what it had read, and the room may have gone on since. So the
// change is what lies between what was read and what was written, and it is carried
// over to the room's text of now, in which nothing that was typed meanwhile is lost.
package rooms
