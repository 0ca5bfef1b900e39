// Package models holds the use cases around the AI models that a workspace's messages go
// to: its providers and their probed abilities, the operator's provider and people's own
// subscriptions. It also has what calls cost and who pays, and the modes in which the
// agent works.
package models
