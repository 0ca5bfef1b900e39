// Package chats has the handlers of chats with the agent: messages with images, the stream
// of a chat, plans.
package chats
