// Package styles makes plain CSS of a project's style sheets with Tailwind. It finds, in
// the project and its packages, what a sheet imports, the plugins and configurations
// that it names, and the files that class names are looked for in; Tailwind's own
// compiler runs in adapters/internal/tailwind, which knows no project.
//
// # What is kept
//
// Stylist keeps three things between builds. A plan is what a sheet and its imports say; it is
// valid while the trace of what was read still holds. Compiled sheets are cached by plan and
// by the digest of the sources. A pool of sessions holds machines that wait for the next
// classes, at most 8, each of at most 24 MB.
//
// # Versions of Tailwind
//
// A project's own Tailwind 4 is bundled once for each set of packages. A project with an older
// Tailwind, or with none, gets the copy in adapters/internal/tailwind/tailwindcss. Sheets and
// configurations of Tailwind 3 are rewritten line by line (legacy.go of that package) and read
// through the compiler's own compatibility layer; what its classes do in another way is in
// legacy.js and v3.css there, and layers.go takes the layers away that it did not have. Sites are lowered to the
// browsers that Tailwind names: Safari 16.4, Chrome 111, Firefox 128.
//
// A site's sheets are started in the background while its modules are read and its packages
// are bundled (project.StylePrefetch). What esbuild printed of a sheet is remembered while its
// plain CSS stays the same and leads to no other file.
//
// The copy is bundled ahead, into adapters/internal/tailwind/script.js. This command writes
// it, and the same test holds it to what bundling gives:
//
//	go test ./adapters/esbuild/styles -run TestTheScriptOfTailwind -update
package styles
