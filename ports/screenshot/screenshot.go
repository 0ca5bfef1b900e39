// Package screenshot is the port to what takes pictures of pages.
package screenshot

import "context"

// Width and Height are the size of a picture in pixels. It shows the top of a page
// in a window of twice that size.
const (
	Width  = 640
	Height = 400
)

// Camera takes pictures of the service's own sites and previews. It may be used by
// many goroutines.
type Camera interface {
	// Available returns nil when pictures can be taken, and otherwise
	// core.CodeSandboxUnavailable with a message that says what to install. It is
	// cheap after the first call.
	Available(ctx context.Context) error
	// Take loads the page at an address, waits a moment until it stands still, and
	// returns a PNG of Width × Height pixels, at most core.MaxThumbnailBytes long.
	//
	// The page is somebody's code: it runs apart from everything else on the machine,
	// without a network, and what it asks for comes from the host of its address or
	// from nowhere. When Take returns, it runs no more.
	//
	// It returns Available's error; core.CodeUnavailable when the page does not answer
	// with status 200, takes too long, or brings down what shows it; and ctx's error
	// when ctx ends first.
	Take(ctx context.Context, address string) ([]byte, error)
}
