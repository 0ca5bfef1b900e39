// Package browsing opens the pages of projects' previews as a person would see them: for the
// agent, which looks at what it builds, and for checks.
//
// browsing.go has the Service, which bounds how many pages are open at once. A page that nobody
// uses gives its place up, and is opened again by its next use. page.go is one page, with what
// was done on it so far. view.go says in few words what it shows, with references to what can
// be acted on. steps.go performs steps, and expect.go waits for what they expect.
//
// What a page shows and says is data of strangers, as files are. ports/browser opens the pages;
// adapters/chromium is the real one.
package browsing
