package attacks_test

import (
	"net/http"
	"strings"
	"time"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// player is one of those who call every route.
type player struct {
	*storytest.Caller
	name string
	// role is the player's in the workspace of the stages.
	role core.Role
	// creator says that the player made the project.
	creator bool
	// instance is the player's in the installation.
	instance core.InstanceRole
	// scope is the one of an API token; "" is a session.
	scope core.Scope
}

func (p *player) signedOut() bool { return p.Token == "" }

// cast is everybody who calls, on one running service. All callers share their
// records as long as no call uses them up.
type cast struct {
	*storytest.Site
	players []*player
}

func newCast(s *storytest.Site) *cast {
	c := &cast{Site: s, players: []*player{
		// The first account is an admin's. It is in no workspace of the stages, so that every
		// route of a project shows that admins get what strangers get.
		{name: "admin of the installation", instance: core.InstanceAdmin},
		{name: "owner", role: core.RoleOwner}, {name: "admin", role: core.RoleAdmin}, {name: "member", role: core.RoleMember},
		{name: "creator", role: core.RoleMember, creator: true}, {name: "stranger"}, {name: "owner of another workspace"},
	}}
	for _, p := range c.players {
		p.Caller = s.SignUp()
	}
	c.players = append(c.players, &player{name: "signed out", Caller: &storytest.Caller{Site: s}})
	for _, scope := range core.Scopes() {
		c.players = append(c.players, c.player("owner").withToken(scope))
	}
	return c
}

func (c *cast) player(name string) *player {
	for _, p := range c.players {
		if p.name == name {
			return p
		}
	}
	c.T.Fatalf("there is no %s in the cast", name)
	return nil
}

// withToken is the player through an API token of one scope.
func (p *player) withToken(scope core.Scope) *player {
	var made struct{ Token string }
	p.Must(http.StatusCreated, http.MethodPost, "/auth/api-tokens", map[string]any{"name": string(scope), "scopes": []core.Scope{scope}}, &made)
	account := *p.Caller
	account.Token = made.Token
	return &player{name: "owner's token with " + string(scope), Caller: &account, role: p.role, creator: p.creator, scope: scope}
}

// stage is a workspace, a project in it, and the other records that routes name.
// Each is made when a route first names it.
type stage struct {
	*cast
	visibility core.Visibility
	owner      *player
	creator    *player
	members    []*player
	made       map[string]string
}

// home is a stage of the workspace in which the cast has its roles.
func (c *cast) home(visibility core.Visibility) *stage {
	s := &stage{cast: c, visibility: visibility, owner: c.player("owner"), creator: c.player("creator"), made: map[string]string{}}
	for _, p := range c.players {
		if p.role != core.RoleNone && p.scope == "" {
			s.members = append(s.members, p)
		}
	}
	return s
}

// abroad is a stage of a workspace in which the owner of another workspace is
// alone.
func (c *cast) abroad() *stage {
	p := *c.player("owner of another workspace")
	p.role = core.RoleOwner
	return &stage{cast: c, visibility: core.VisibilityPrivate, owner: &p, creator: &p, members: []*player{&p}, made: map[string]string{}}
}

// record returns the value of the parameter at the end of a pattern's beginning,
// such as "/projects/:projectId". It is the same at every call.
func (s *stage) record(beginning string) string {
	s.T.Helper()
	key := keyOf(beginning)
	if s.made[key] == "" {
		s.made[key] = s.fresh(beginning, s.owner)
	}
	return s.made[key]
}

// fresh creates a record that no other test uses. A person's record belongs to by, or to
// the owner if by has none.
func (s *stage) fresh(beginning string, by *player) string {
	s.T.Helper()
	if by.signedOut() || by.scope != "" {
		by = s.owner
	}
	return records()[keyOf(beginning)](s, by)
}

// keyOf makes one of the several beginnings under which routes name a project.
func keyOf(beginning string) string {
	if strings.HasSuffix(beginning, "/:projectId") {
		return "/projects/:projectId"
	}
	return beginning
}

// beginnings are those of a pattern that end in a parameter.
func beginnings(pattern string) []string {
	var found []string
	for i, c := range pattern + "/" {
		last := pattern[strings.LastIndex(pattern[:i], "/")+1 : i]
		if c == '/' && strings.ContainsAny(last, ":*") {
			found = append(found, pattern[:i])
		}
	}
	return found
}

// fill replaces a pattern's parameters by values.
func fill(pattern string, value func(beginning string) string) string {
	path := pattern
	for _, beginning := range beginnings(pattern) {
		parameter := beginning[strings.LastIndex(beginning, "/"):]
		path = strings.Replace(path, parameter, "/"+value(beginning), 1)
	}
	return path
}

// join makes somebody a member of a workspace, or changes their role.
func (s *stage) join(workspace, user core.ID, role core.Role) {
	s.T.Helper()
	member := core.Membership{WorkspaceID: workspace, UserID: user, Role: role, JoinedAt: core.At(time.Now())}
	if err := s.App.Store.Tables().Workspaces.PutMember(s.T.Context(), member); err != nil {
		s.T.Fatal(err)
	}
}
