// Package environment stores the environment values of projects: settings and secrets that people
// give a project and that are never shown again. Public values go into builds; the others must not
// get into a site.
//
// Values are sealed to their row and never read back. builds.Maker gives those with the prefix
// VITE_ to builds, and fails a site's build that contains another one. A change of a value
// raises the revision of the files, which covers everything that a build is made of.
package environment
