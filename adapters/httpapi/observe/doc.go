// Package observe is the middleware around all routes, and what it shows to those who run
// the service. Handler gives every request an id and every answer its headers, refuses
// foreign hosts, turns panics into errors, and writes the access log and the metrics.
// Alive, Ready and Scrape answer the probes and Prometheus.
package observe
