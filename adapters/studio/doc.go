// Package studio serves the web page in which people use Atelier. The page is a
// client of the public interface like any other: the package calls no use case.
//
//	web/    the sources, TypeScript with Preact
//	locks/  which packages they are built with
//	NOTICES.txt  the licences of these packages
//	dist/   what was built of them (`make studio`), which the program carries
//
// Unit tests are beside the modules that they test, as name.test.ts. They hold what
// needs no page, and run in Node.js (bootstrap/tools/studio, TestUnits); what needs one is
// played in a browser (bootstrap/stories/browser).
//
// Everything in dist is public and the same for everybody; what depends on the
// installation is written into the page (Config).
package studio
