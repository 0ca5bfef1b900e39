package backend

import (
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/atelierhq/atelier/adapters/memory/backend/records"
	"github.com/atelierhq/atelier/adapters/memory/backend/rules"
	"github.com/atelierhq/atelier/adapters/memory/backend/values"
)

// Bounds of a list, which are PocketBase's.
const (
	presetPerPage  = 30
	maxPerPage     = 1000
	maxFilterBytes = 3500
	maxSorts       = 8
)

// listing is a collection whose records a request lists, filtered, sorted and by pages.
type listing struct {
	*request
	c *records.Collection
}

// answer answers GET …/records.
func (l listing) answer() (any, error) {
	if l.c.Rules.List == nil && !l.owner {
		return nil, errMembers()
	}
	page, perPage, err := l.pages()
	if err != nil {
		return nil, err
	}
	skipTotal := false
	if text := l.Query["skipTotal"]; text != "" {
		if skipTotal, err = strconv.ParseBool(text); err != nil {
			return nil, refusal(http.StatusBadRequest, "skipTotal must be true or false.")
		}
	}
	found, err := l.matching()
	if err != nil {
		return nil, err
	}
	if err := l.sort(found); err != nil {
		return nil, err
	}
	answer := map[string]any{"page": page, "perPage": perPage, "totalItems": len(found), "totalPages": (len(found) + perPage - 1) / perPage}
	if skipTotal {
		answer["totalItems"], answer["totalPages"] = -1, -1
	}
	from := len(found)
	if page-1 <= len(found)/perPage {
		from = min((page-1)*perPage, len(found))
	}
	items := []any{}
	for _, one := range found[from:min(from+perPage, len(found))] {
		items = append(items, presenter{l.request}.present(one))
	}
	answer["items"] = items
	return answer, nil
}

// pages reads which page is wanted.
func (l listing) pages() (page, perPage int, err error) {
	page, perPage = 1, presetPerPage
	for name, to := range map[string]*int{"page": &page, "perPage": &perPage} {
		text := l.Query[name]
		if text == "" {
			continue
		}
		preset := *to
		if *to, err = strconv.Atoi(text); err != nil {
			return 0, 0, refusal(http.StatusBadRequest, name+" must be a number.")
		}
		if *to <= 0 {
			*to = preset
		}
	}
	return min(page, math.MaxInt32), min(perPage, maxPerPage), nil
}

// matching returns the records that the list rule and the filter of the request let through.
func (l listing) matching() ([]records.Row, error) {
	for _, name := range []string{"filter", "sort"} {
		if err := l.checkText(l.Query[name]); err != nil {
			return nil, err
		}
	}
	conditions, err := l.conditions()
	if err != nil {
		return nil, err
	}
	var found []records.Row
	for _, one := range l.state.Rows(l.c) {
		holds := true
		for i := 0; holds && i < len(conditions); i++ {
			if holds, err = conditions[i].Holds(one); err != nil {
				return nil, err
			}
		}
		if holds {
			found = append(found, one)
		}
	}
	return found, nil
}

// conditions returns the list rule and the filter, as far as there are any.
func (l listing) conditions() ([]*rules.Condition, error) {
	var conditions []*rules.Condition
	if rule := l.c.Rules.List; !l.owner && *rule != "" {
		made, err := l.rule(l.c, *rule)
		if err != nil {
			return nil, err
		}
		conditions = append(conditions, made)
	}
	if text := l.Query["filter"]; text != "" {
		made, err := l.scope(l.c).Compile(text)
		if err != nil {
			return nil, err
		}
		conditions = append(conditions, made)
	}
	return conditions, nil
}

// checkText bounds a filter or a sort order, and refuses names that only rules and members may use.
func (l listing) checkText(text string) error {
	if len(text) > maxFilterBytes {
		return refusal(http.StatusBadRequest, "The filter is too long.")
	}
	if !l.owner && (strings.Contains(text, "@collection.") || strings.Contains(text, "@request.")) {
		return refusal(http.StatusForbidden, "Only superusers can filter by @collection and @request.")
	}
	return nil
}

// sort orders records as the request says, or by their creation.
func (l listing) sort(rows []records.Row) error {
	all, _, err := l.sorted(rows)
	for i := range all {
		rows[i] = all[i].Row
	}
	return err
}

// sortedRow is a record with its keys in an order.
type sortedRow struct {
	records.Row
	by []any
}

// sorted orders records as the request says, and equal ones by what last names, if anything: then
// texts count with their first characters. It returns how to compare keys, too.
func (l listing) sorted(rows []records.Row, last ...string) ([]sortedRow, func(a, b []any) int, error) {
	order := names(l.Query["sort"])
	if len(order) > maxSorts {
		return nil, nil, refusal(http.StatusBadRequest, "There are too many fields to sort by.")
	}
	order = append(order, last...)
	all := make([]sortedRow, len(rows))
	for i, one := range rows {
		all[i].Row = one
	}
	var signs []int
	for _, text := range order {
		name, sign := strings.TrimPrefix(text, "+"), 1
		if strings.HasPrefix(text, "-") {
			name, sign = text[1:], -1
		}
		key, err := l.scope(l.c).SortKey(name)
		if err != nil {
			return nil, nil, err
		}
		signs = append(signs, sign)
		for i := range all {
			all[i].by = append(all[i].by, key(all[i].Row))
		}
	}
	if len(last) > 0 {
		shorten(all)
	}
	compare := func(a, b []any) int {
		for i, sign := range signs {
			if order := values.Compare(a[i], b[i]); order != 0 {
				return sign * order
			}
		}
		return 0
	}
	slices.SortStableFunc(all, func(a, b sortedRow) int { return compare(a.by, b.by) })
	return all, compare, nil
}
