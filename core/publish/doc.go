// Package publish publishes projects: it builds them, keeps every build as a deployment, and
// decides which deployment a site serves.
//
// A deployment's files never change. Publishing stores a new one first and then changes the
// project's record, so a site switches atomically from one build to the next, and a failed build
// changes nothing.
//
// # Publishing
//
// Publishing commits what is staged, builds, checks the build as a preview does
// (core/builds/judge.go), puts the files under a new deployment, and then changes one row: old or new,
// never a mixture. The row and the schema of live data change together or not at all (switchTo, with
// core/backends/live.go). Content that deployments share is on the disk once (ports/sites;
// adapters/disk). The last 50 deployments of a project are kept.
//
// directory.go caches which deployment a host shows, for adapters/sitehost. An entry follows
// its project on the bus, and names without a site are not cached.
package publish
