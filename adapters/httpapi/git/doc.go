// Package git serves git's smart protocol over HTTP to git clients.
package git
