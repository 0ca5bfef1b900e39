// Package remote calls the HTTP interface of an installation for the command line client.
//
// It follows no redirect, so that credentials never reach another host, and it keeps what the
// service said of a failure: its code, its message and the members that come with it. Files is the project's side of a mirror.
package remote
