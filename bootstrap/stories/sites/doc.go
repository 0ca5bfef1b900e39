// Package sites plays the stories of previews and published sites: domains, certificates,
// addresses that leaked, builds without a network.
package sites
