// Package thumbnails keeps a picture of every project: one is taken after a publish
// and after a run of the agent, or when somebody asks for it. Nobody waits for one,
// and a project without one is no failure.
//
// Pictures are taken one at a time; a card represents a project that has none (card.go).
// ports/screenshot is the camera; adapters/chromium is the real one.
package thumbnails
