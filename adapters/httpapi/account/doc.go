// Package account has the handlers of a person's own account: signing up and in, with a
// password or at a provider, sessions, API tokens and own subscriptions.
package account
