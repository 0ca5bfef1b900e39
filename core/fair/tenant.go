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

// Tenant returns on whose account the work of a context is; work that nobody has said
// it of is "", which is a tenant like any other.
func Tenant(ctx context.Context) core.ID {
	tenant, _ := ctx.Value(tenantKey{}).(core.ID)
	return tenant
}
