// Package access decides who may do what: it looks up the facts for the table of
// authorisation.
//
// The table is core/access.go: for each action, the least role, whether public projects allow
// it, and the scope of an API token that it takes. A route names an action; the use case asks
// Gate. The story authorization_test.go in bootstrap/stories/attacks plays every route as
// every kind of caller against the table.
//
// Roles are read in the transaction that acts on them (In, ProjectIn). If two admins demote
// each other, one remains an admin. Every change of membership raises the workspace's
// MembersVersion, on which the addresses of previews depend.
//
// Where a workspace requires a second factor, the query that reads the role also says whether the
// member lacks it (core.Standing). That is asked of people who call, not of their API tokens, and not
// of what the service carries on for them (core.Unattended).
//
// # Adding an action
//
// Add the constant and its rule in core/access.go, name the action in the route (package
// httpapi), and ask Gate in the use case. core.RuleOf panics at an action without a rule, and
// authorization_test.go fails for a route that it has no case for.
package access
