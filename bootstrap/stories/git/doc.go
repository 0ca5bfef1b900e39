// Package git plays the stories of the stock git client against the service: clone, push,
// import, and what hostile repositories and servers try.
package git
