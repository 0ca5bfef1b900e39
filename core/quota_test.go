package core_test

import (
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestTheQuotaOfAWorkspaceIsTheClosestThatTheOperatorAllows(t *testing.T) {
	t.Parallel()
	all := func(projects, members, bytes int64) core.WorkspaceQuotas {
		return core.WorkspaceQuotas{Projects: projects, Members: members, Bytes: bytes}
	}
	open := core.Quotas{Projects: 500, Members: 500, Bytes: 2000}
	fixed := core.Quotas{Projects: 10, Members: 0, Bytes: 2000, Fixed: map[core.QuotaName]string{core.QuotaProjects: "X", core.QuotaMembers: "Y"}}
	for name, c := range map[string]struct {
		quotas               core.Quotas
		general, given, want core.WorkspaceQuotas
	}{
		"nothing decided":                     {open, core.WorkspaceQuotas{}, core.WorkspaceQuotas{}, all(500, 500, 2000)},
		"decided for all":                     {open, all(7, 900, 1000), core.WorkspaceQuotas{}, all(7, 900, 1000)},
		"given to one":                        {open, all(7, 7, 1000), all(9, 3, 1500), all(9, 3, 1500)},
		"bytes never exceed the disk's":       {open, core.WorkspaceQuotas{Bytes: 9000}, core.WorkspaceQuotas{}, all(500, 500, 2000)},
		"given bytes do not either":           {open, core.WorkspaceQuotas{}, core.WorkspaceQuotas{Bytes: 9000}, all(500, 500, 2000)},
		"the environment wins":                {fixed, core.WorkspaceQuotas{Projects: 3, Members: 4}, core.WorkspaceQuotas{}, all(10, 0, 2000)},
		"given quotas stay below it":          {fixed, core.WorkspaceQuotas{}, core.WorkspaceQuotas{Projects: 11, Members: 4}, all(10, 4, 2000)},
		"and may be lower":                    {fixed, core.WorkspaceQuotas{}, core.WorkspaceQuotas{Projects: 2}, all(2, 0, 2000)},
		"no bound of the operator, one given": {core.Quotas{}, core.WorkspaceQuotas{Bytes: 5}, core.WorkspaceQuotas{Projects: 6}, all(6, 0, 5)},
	} {
		if got := c.quotas.InForce(core.InstanceSettings{Quotas: c.general}, c.given); got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}
