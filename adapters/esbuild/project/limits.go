package project

// Bounds on one build. A project can contain anything, and a mistake with a name helps
// its authors more than a builder that crashed.
const (
	// MaxModuleBytes bounds a source that is parsed.
	MaxModuleBytes = 4 << 20
	// MaxAssetBytes bounds a file that is copied. It exceeds what a project may store in
	// one file.
	MaxAssetBytes = 64 << 20
	// MaxFiles and maxTotalBytes bound what one build reads from a project.
	MaxFiles      = 10_000
	maxTotalBytes = 512 << 20
	// MaxDiagnostics bounds the reported messages: one mistake can break every file.
	MaxDiagnostics = 100
	// maxPages bounds the HTML pages of a project.
	maxPages = 200
)
