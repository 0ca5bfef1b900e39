// Package peers measures the whole service beside what people use in its place:
// vite, with npm, for previews and builds, and nginx for sites. Every number is a
// ratio of one run. The benchmarks need Node, nginx, wrk and Chromium, which
// `make bench` brings.
package peers
