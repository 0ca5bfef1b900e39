// Package sites tests the stories of previews and published sites: domains, certificates,
// leaked addresses, builds without a network.
package sites
