// Package viteconfig evaluates a project's configuration of Vite, and that of PostCSS, which Vite reads:
// it bundles vite.config and postcss.config with the files that they import, runs them in a machine
// that has no files, no network and no process, with replacements for Vite, for known plugins and for
// Node's modules of paths, and reads the objects that come out (read.js). What the builder does not follow is named, so that the project's own tools
// build it instead: nothing that a configuration sets is passed over in silence.
//
// Its environment is the project's .env files and what pages may know; a configuration gets no
// secret of the environment.
package viteconfig
