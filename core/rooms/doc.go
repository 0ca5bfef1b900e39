// Package rooms brings what is written beside a room into the room's texts: people type
// there while the API, the agent and the disk replace whole files.
//
// A writer has changed what it had read, and the room may have gone on since. So the
// change is what lies between what was read and what was written, and it is carried
// over to the room's text of now, in which nothing that was typed meanwhile is lost.
package rooms
