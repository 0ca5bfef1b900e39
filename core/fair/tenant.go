package fair

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// tenantKey is the key of the tenant in a context.
type tenantKey struct{}

// With returns a context for work on a tenant's account: a workspace's, or a person's
// where no workspace is known yet. The tenant decides in which order work gets its
// turn, and nothing else: neither what it may do nor what comes of it.
func With(ctx context.Context, tenant core.ID) context.Context {
	return context.WithValue(ctx, tenantKey{}, tenant)
}

// Enter acquires one place for the tenant of ctx. The caller gives it back with leave,
// once. The error is ctx's.
func (s *Semaphore) Enter(ctx context.Context) (leave func(), err error) {
	tenant := Tenant(ctx)
	if err := s.Acquire(ctx, tenant, 1); err != nil {
		return nil, err
	}
	return func() { s.Release(tenant, 1) }, nil
}

// GivesWay returns the tenants of which one loses something when all is in use and the
// newcomer wants one more: those that would then hold the most. It is the newcomer alone
// when that is one of them and has something to lose, so that nobody loses anything to a
// tenant that holds as much.
func GivesWay(held map[core.ID]int, newcomer core.ID) []core.ID {
	most := held[newcomer] + 1
	if most == 1 {
		most = 0
	}
	for _, n := range held {
		most = max(most, n)
	}
	if held[newcomer] > 0 && held[newcomer]+1 == most {
		return []core.ID{newcomer}
	}
	var losers []core.ID
	for tenant, n := range held {
		if n == most {
			losers = append(losers, tenant)
		}
	}
	return losers
}

// Tenant returns on whose account the work of a context is; work that nobody has said
// it of is "", which is a tenant like any other.
func Tenant(ctx context.Context) core.ID {
	tenant, _ := ctx.Value(tenantKey{}).(core.ID)
	return tenant
}
