package tailwind

import (
	"embed"
	"io/fs"
)

//go:embed tailwindcss
var embedded embed.FS

// Version is that of the copy of Tailwind in this package.
const Version = "4.3.5"

// Copy returns the copy of the npm package tailwindcss: what of it is needed to
// compile, and its licence.
func Copy() fs.FS {
	files, err := fs.Sub(embedded, "tailwindcss")
	if err != nil {
		panic(err) // the name is the one that is embedded
	}
	return files
}
