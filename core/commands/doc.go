// Package commands has the commands of the chat: words behind a slash with which a message begins,
// built-in ones and those that workspaces define. It expands a message into what the agent is told.
package commands
