// Package checks keeps and plays the checks of projects: what a person can do on the pages, and
// what these show then. They are played without a model, in the service's browser, at the end of
// a run of the agent, before a publish, and by hand.
//
// checks.go has the use cases. files.go reads the files of checks. perform.go plays several, some at
// once and all within a bounded time. play.go plays one, step by step (browsing.Page.Perform).
//
// Every check gets fresh test data of its own, and the preview at an address of its own that
// leads to them: checks cannot affect each other, and their order does not matter.
// Without a browser nothing is played, which is neither a success nor a failure.
package checks
