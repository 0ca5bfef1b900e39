// Package models holds the use cases around the AI models that a workspace's messages go
// to: its providers and what a probe found out about them, the operator's provider and
// people's own subscriptions, what calls cost and who pays, and the modes in which the
// agent works.
package models
