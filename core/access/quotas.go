package access

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// QuotasIn returns the quotas of a workspace that are in force, within a transaction: quotas are
// those of the environment.
func QuotasIn(ctx context.Context, tables storage.Tables, quotas core.Quotas, workspace core.ID) (core.WorkspaceQuotas, error) {
	decided, err := tables.InstanceSettings.Get(ctx)
	if err != nil {
		return core.WorkspaceQuotas{}, err
	}
	space, err := tables.Workspaces.ByID(ctx, workspace)
	return quotas.InForce(decided, space.Quotas), err
}

// CreditLimitIn returns the operator's limit that is in force: that of the environment, or what the
// admins decided.
func CreditLimitIn(ctx context.Context, tables storage.Tables, fixed core.CreditLimit) (core.CreditLimit, error) {
	if fixed != nil {
		return fixed, nil
	}
	decided, err := tables.InstanceSettings.Get(ctx)
	return decided.CreditLimit, err
}
