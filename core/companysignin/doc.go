// Package companysignin holds the use cases of OpenID Connect providers that admins of the
// installation configure, with which people of companies sign in.
//
// # What a provider is believed
//
// A new person gets an account for an address that the provider calls verified, or that is at one of
// the provider's domains and of which it says nothing. An account that exists is joined only at one
// of the domains, as long as its owner verified the address: the operator of a provider could otherwise
// take over every account of the installation, by naming its address. A provider with domains admits
// nobody with an address elsewhere. Whom a provider vouches for needs no invitation, unless sign-up
// is closed.
//
// An identity is a provider's slug with the person's subject there. It is deleted with the provider,
// and when the provider's issuer changes, because subjects belong to an issuer.
//
// # Groups
//
// core.CompanyProvider.RolesOf picks the roles of a sign-in's groups, and
// workspaces.Members.ApplyGroups (groups.go) applies them, in the transaction that opens the session, or asks for the second factor. What a mapping gave is
// withdrawn at the next sign-in without it. A provider that is deleted leaves the roles. Mappings to
// personal workspaces are refused, and each new one is in the log of its workspace, so that its
// owners see who let others in.
//
// # Only
//
// A provider that is the only way in for its domains (Rules) refuses passwords and other providers to
// addresses there, at the one place where sessions open. The answer is the same whether an address
// has an account. Admins of the installation keep their ways in, because they mend a provider that
// is broken. Sessions and API tokens that exist go on.
//
// # Addresses
//
// Admins sign in over the network, and their sessions can be stolen: so the addresses that they
// configure, and those that discovery documents name, go through the guard of addresses from users.
// For a provider in a private network, set PRIVATE_NETWORKS=allow.
//
// # Signing out
//
// The browser keeps a sealed note of the provider and of the identity token. Signing out returns the
// address at which the session there ends as well.
package companysignin
