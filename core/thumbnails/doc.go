// Package thumbnails keeps a picture of every project. One is taken in the background
// after a publish, after a run of the agent, or on request. A project may have none.
//
// Pictures are taken one at a time; a card represents a project that has none (card.go).
// ports/browser opens the pages; adapters/chromium is the real one.
package thumbnails
