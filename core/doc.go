// Package core is the vocabulary of Atelier: the words that every port, adapter
// and use case speaks, and the rules about them that need no input or output.
//
// It imports the standard library only. Types have JSON tags where the public
// interface defines the JSON; nothing here knows about a database or HTTP.
package core
