package rooms

import (
	"context"
	"maps"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
)

// rights are a member's permissions in the room.
type rights struct{ write, chat bool }

// rightsOf returns what a caller may do in a project's room.
func rightsOf(ctx context.Context, gate *access.Gate, by core.Actor, project core.ID) (rights, error) {
	if _, err := gate.Project(ctx, by, core.ActionFileRead, project); err != nil {
		return rights{}, err
	}
	var may rights
	for action, right := range map[core.Action]*bool{core.ActionFileWrite: &may.write, core.ActionChat: &may.chat} {
		_, err := gate.Project(ctx, by, action, project)
		if err != nil && !refused(err) {
			return rights{}, err
		}
		*right = err == nil
	}
	return may, nil
}

// refused reports whether the gate said no, as opposed to a failure to answer.
func refused(err error) bool {
	return core.IsCode(err, core.CodeForbidden) || core.IsCode(err, core.CodeNotFound) ||
		core.IsCode(err, core.CodeInsufficientScope) || core.IsCode(err, core.CodeMFASetupRequired)
}

// gatekeeper checks the rights of members again while they are in the room.
type gatekeeper struct{ *scope }

// checkAll dismisses the members that may no longer be in the room, and notes what the
// others may do.
func (g *gatekeeper) checkAll() {
	members := slices.Collect(maps.Keys(g.state.lock().members.seats))
	g.state.unlock()
	for _, m := range members {
		g.check(m)
	}
}

// check asks the gate again. If the gate cannot answer, nothing changes for the member.
func (g *gatekeeper) check(m *Member) {
	if g.life.Err() != nil {
		return
	}
	if err := g.deps.Standing(g.life, m.actor); core.IsCode(err, core.CodeUnauthenticated) || core.IsCode(err, core.CodeTokenExpired) {
		m.dismiss(err)
		return
	}
	may, err := rightsOf(g.life, g.deps.Gate, m.actor, g.project)
	if refused(err) {
		m.dismiss(ErrLostAccess)
		return
	}
	if err == nil && m.allow(may) {
		m.resync()
	}
}
