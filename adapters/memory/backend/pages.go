package backend

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/adapters/memory/backend/rules"
	"github.com/atelierhq/atelier/core"
	port "github.com/atelierhq/atelier/ports/backend"
)

// List implements backend.Lists.
func (e *Engine) List(ctx context.Context, place port.Place, collection string, query port.RecordQuery) (port.RecordPage, error) {
	present, err := e.read(ctx, place)
	if err != nil {
		return port.RecordPage{}, err
	}
	from, err := stored(present, collection)
	if err != nil {
		return port.RecordPage{}, err
	}
	r := &request{state: present, owner: true, Request: rules.Request{Context: "default", Method: "GET", Query: map[string]string{"filter": query.Filter, "sort": query.Sort}}}
	page, err := listing{r, from}.page(query)
	var refused *failure
	if errors.As(asFailure(err), &refused) {
		return page, core.Errorf(core.CodeValidationFailed, "%s", strings.TrimSuffix(refused.message, "."))
	}
	return page, err
}

// page returns the records after a position.
func (l listing) page(query port.RecordQuery) (port.RecordPage, error) {
	page := port.RecordPage{Records: []json.RawMessage{}}
	found, err := l.matching()
	if err != nil {
		return page, err
	}
	last := "-@rowid"
	if l.c.Type == port.View {
		last = "id"
	}
	all, compare, err := l.sorted(found, last)
	if err != nil {
		return page, err
	}
	page.Total = int64(len(all))
	isRandom := strings.Contains(query.Sort, "@random")
	if all, err = after(all, compare, query.After, isRandom); err != nil {
		return page, err
	}
	all = all[min(query.Skip, len(all)):]
	size := 0
	for i, one := range all {
		if i == query.Limit || size >= port.MaxPageBytes {
			if !isRandom {
				page.Next = position(all[i-1].by)
			}
			break
		}
		text, err := json.Marshal(presenter{l.request}.visible(one.Row))
		if err != nil {
			return page, err
		}
		page.Records, size = append(page.Records, text), size+len(text)
	}
	return page, nil
}

// after returns the records behind a position, which is empty for the beginning.
func after(all []sortedRow, compare func(a, b []any) int, place string, isRandom bool) ([]sortedRow, error) {
	if place == "" {
		return all, nil
	}
	var keys []any
	if err := json.Unmarshal([]byte(place), &keys); err != nil || isRandom || len(all) > 0 && len(all[0].by) != len(keys) {
		return nil, core.Wrap(core.CodeInvalidCursor, err, "the position does not belong to this order: begin again")
	}
	at := slices.IndexFunc(all, func(one sortedRow) bool { return compare(one.by, keys) > 0 })
	if at < 0 {
		return nil, nil
	}
	return all[at:], nil
}

// position encodes the keys of a record.
func position(keys []any) string {
	// Plain values are always encoded.
	text, _ := json.Marshal(keys)
	return string(text)
}

// shorten leaves the first characters of the texts by which records are sorted.
func shorten(all []sortedRow) {
	for _, one := range all {
		chars := port.OrderChars(len(one.by))
		for i, key := range one.by {
			text, _ := key.(string)
			if letters := []rune(text); len(letters) > chars {
				one.by[i] = string(letters[:chars])
			}
		}
	}
}
