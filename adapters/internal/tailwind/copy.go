package tailwind

import (
	"embed"
	"io/fs"
)

//go:embed tailwindcss
var embedded embed.FS

// Script is Glue bundled with the copy of Tailwind in this package, as NewEngine
// takes it. A test of adapters/esbuild, which bundles, writes it and holds it to that.
//
//go:embed script.js
var Script string

// Version is that of the copy of Tailwind in this package.
const Version = "4.3.5"

// Copy returns the embedded copy of the npm package tailwindcss: the files that compiling
// needs, and the licence.
func Copy() fs.FS {
	files, err := fs.Sub(embedded, "tailwindcss")
	if err != nil {
		panic(err) // the name is the one that is embedded
	}
	return files
}
