// Package prebuilt bundles what a project imports from packages, once for a set of
// packages, and keeps it in memory and on the disk. A CommonJS module of a package has no
// list of exports, so the project reaches it through a bridge: a CommonJS module whose
// exports are the default export of the pre-built file.
//
// A preview reaches everything in packages so. A site treats packages in CommonJS form in
// the same way, since nothing of them can be shaken off, and bundles the others with the
// project.
package prebuilt
