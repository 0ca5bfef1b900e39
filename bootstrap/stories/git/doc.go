// Package git tests the service with the stock git client: clone, push, import, and
// attacks by hostile repositories and servers.
package git
