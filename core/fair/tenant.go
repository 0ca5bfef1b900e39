package fair

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// tenantKey is the key of the tenant in a context.
type tenantKey struct{}

// WithTenant returns a context for work that counts for a tenant: a workspace, or a person if
// the workspace is not known yet. The tenant only decides the order in which work is
// served, neither its rights nor its result.
func WithTenant(ctx context.Context, tenant core.ID) context.Context {
	return context.WithValue(ctx, tenantKey{}, tenant)
}

// Enter acquires one place for the tenant of ctx. The caller releases it with leave,
// once. The error is ctx's.
func (s *Semaphore) Enter(ctx context.Context) (leave func(), err error) {
	tenant := Tenant(ctx)
	if err := s.Acquire(ctx, tenant, 1); err != nil {
		return nil, err
	}
	return func() { s.Release(tenant, 1) }, nil
}

// Victims returns the candidates to lose a place when all are in use and the newcomer
// wants one more: the tenants that would then hold the most. If the newcomer is one of
// them and holds a place, it is the only candidate, so that nobody loses a place to a
// tenant that holds as much.
func Victims(held map[core.ID]int, newcomer core.ID) []core.ID {
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

// Tenant returns the tenant of a context. Without WithTenant it is "", which is a tenant like
// any other.
func Tenant(ctx context.Context) core.ID {
	tenant, _ := ctx.Value(tenantKey{}).(core.ID)
	return tenant
}
