// Package workspaces has the handlers of workspaces: their members, invites, folders,
// modes, AI providers and audit log.
package workspaces
