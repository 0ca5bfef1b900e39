// Package browsing opens the pages of projects' previews as a person would see them: for the
// agent, which looks at what it builds, and for checks.
//
// browsing.go has the Service, which bounds how many pages are open at once. It evicts idle pages
// (LRU); their next use opens them again. page.go is one page, with the steps that were performed
// on it. view.go describes briefly what it shows, with references to elements for steps. steps.go
// performs steps, and expect.go waits for what they expect.
//
// What a page shows and logs is untrusted input, as files are. ports/browser opens the pages;
// adapters/chromium is the real one.
package browsing
