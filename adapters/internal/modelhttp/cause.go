package modelhttp

import (
	"net/http"

	"github.com/atelierhq/atelier/core"
)

// cause returns the part of a refusal about which people can do something.
func (e *vendorError) cause(call Call) core.ModelFailure {
	switch {
	case e.isFiltered():
		return ""
	case e.lacksCredit():
		return core.FailureCredit
	case e.refusesKey():
		return core.FailureKey
	case e.status == http.StatusTooManyRequests, e.status == 0 && e.is("rate_limit"):
		return core.FailureRate
	case e.lacksModel(call.Model):
		return core.FailureModel
	case e.status >= http.StatusInternalServerError, e.status == 0 && e.is("overloaded"):
		return core.FailureProvider
	}
	return ""
}
