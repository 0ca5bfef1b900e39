// Package connectors lets the agent of a workspace call other programs: the tools of MCP
// servers (ports/connectors).
//
// service.go is for admins, who add servers and allow tools. A tool is pinned: what the server said
// of it when an admin allowed it. input.go checks what admins give.
//
// toolbox.go is for the agent, and the one place that decides about a call. A server is asked again
// what its tool is before every call, so that one that changed is never called before an admin saw
// that. A tool with consent "ask" needs a person's yes for exactly this call. A run that has read what
// one connector answered needs it for every other connector, whatever its consent: what strangers
// say must not carry the data of one to another.
package connectors
