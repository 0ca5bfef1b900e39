package core

// Thumbnail is a picture of a project's page: a PNG, taken at a time.
type Thumbnail struct {
	ProjectID ID
	PNG       []byte
	TakenAt   Time
}

// MaxThumbnailBytes is the largest picture that is stored.
const MaxThumbnailBytes = 2 << 20
