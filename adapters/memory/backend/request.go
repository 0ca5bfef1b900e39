package backend

import (
	"net/http"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/adapters/memory/backend/records"
	"github.com/atelierhq/atelier/adapters/memory/backend/rules"
	port "github.com/atelierhq/atelier/ports/backend"
)

// request is a request to a data set. What carries it out embeds it: resource, listing,
// authentication and others.
type request struct {
	// Request is what rules see of it.
	rules.Request
	files uploads

	set *dataSet
	// state is that in force when the request came, or within a transaction its own.
	state *records.State
	// tx is the transaction of a batch.
	tx *records.Transaction
	// owner ignores rules.
	owner bool
}

// text returns a member of the body that is a text.
func (r *request) text(name string) string {
	text, _ := r.Body[name].(string)
	return text
}

// identify finds out on whose behalf a request is.
func (r *request) identify(as port.Identity, token string) error {
	switch {
	case as.Owner:
		r.owner = true
	case as.Email != "":
		who, ok := findUser(r.state, as)
		if !ok {
			return refusal(http.StatusNotFound, "There is no such user.")
		}
		r.Auth = who
	default:
		token = strings.TrimPrefix(token, "Bearer ")
		if _, who, ok := verify(r.state, token, tokenAuth); ok {
			r.Auth = who
		}
	}
	return nil
}

// scope is where the filters of the request are read.
func (r *request) scope(c *records.Collection) rules.Scope {
	return rules.Scope{State: r.state, Base: c, Request: &r.Request, Trusted: r.owner}
}

// rule compiles a rule of a collection.
func (r *request) rule(c *records.Collection, text string) (*rules.Condition, error) {
	scope := r.scope(c)
	scope.Trusted = true
	return scope.Compile(text)
}

// allowed reports whether a rule lets the request reach a record.
func (r *request) allowed(rule *string, to records.Row) (bool, error) {
	switch {
	case r.owner:
		return true, nil
	case rule == nil:
		return false, nil
	case *rule == "":
		return true, nil
	}
	made, err := r.rule(to.Collection, *rule)
	if err != nil {
		return false, err
	}
	return made.Holds(to)
}

// manages reports whether the request may change what belongs to an end user alone.
func (r *request) manages(to records.Row) bool {
	rule := to.Collection.Auth.ManageRule
	if r.owner || rule == nil || *rule == "" || !r.Auth.Exists() {
		return r.owner
	}
	may, err := r.allowed(rule, to)
	return may && err == nil
}

// commit carries out a write in a transaction of its own, or in that of the batch.
func (r *request) commit(work func(tx *records.Transaction) error) error {
	if r.tx != nil {
		return work(r.tx)
	}
	return r.set.change(func(tx *records.Transaction) error {
		r.state = tx.State
		return work(tx)
	})
}

// names returns the parts of a list such as expand's.
func names(list string) []string {
	parts := strings.Split(list, ",")
	for i, part := range parts {
		parts[i] = strings.TrimSpace(part)
	}
	return slices.DeleteFunc(parts, func(part string) bool { return part == "" })
}
