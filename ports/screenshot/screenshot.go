// Package screenshot is the port to the browser that takes pictures of pages.
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
	// Available returns nil if pictures can be taken, else core.CodeSandboxUnavailable
	// with a message that says what to install. It is cheap after the first call.
	Available(ctx context.Context) error
	// Take loads the page at an address, waits a moment until it stops changing, and
	// returns a PNG of Width × Height pixels, at most core.MaxThumbnailBytes long.
	//
	// The page is untrusted code: it runs isolated from everything else on the
	// machine, and can only request resources of its own host. When Take returns, it
	// no longer runs.
	//
	// It returns Available's error; core.CodeUnavailable if the page does not answer
	// with status 200, takes too long, or crashes the browser; and ctx's error if ctx
	// ends first.
	Take(ctx context.Context, address string) ([]byte, error)
}
