// Package people tests the stories of accounts and teams: signing up and in, sessions, mails,
// providers, invites, roles, subscriptions, the audit log.
package people
