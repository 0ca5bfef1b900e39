// Package hidden refuses filters and orders that would tell what the caller may not see.
//
// PocketBase lets a filter find users by their addresses only if they show these to everybody, and
// records behind relations only if their list rules do. It adds conditions to the records it finds,
// but not when it sorts, or when every related record must match (= instead of ?=), so hidden
// records still affect the result.
package hidden

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/ganigeorgiev/fexpr"
	pb "github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/search"
)

// Refuse lets an application refuse such lists and subscriptions.
func Refuse(app pb.App) {
	app.OnRecordsListRequest().BindFunc(func(e *pb.RecordsListRequestEvent) error {
		if !e.HasSuperuserAuth() {
			if err := refuse(e.RequestEvent, e.Collection, e.Request.URL.Query()); err != nil {
				return err
			}
		}
		return e.Next()
	})
	app.OnRealtimeSubscribeRequest().BindFunc(func(e *pb.RealtimeSubscribeRequestEvent) error {
		for _, topic := range e.Subscriptions {
			collection, query := subscribed(e.App, topic)
			if collection == nil || e.HasSuperuserAuth() {
				continue
			}
			if err := refuse(e.RequestEvent, collection, query); err != nil {
				return err
			}
		}
		return e.Next()
	})
}

// subscribed returns what a topic of realtime is about, such as entries/*?options={"query":{…}}.
func subscribed(app pb.App, topic string) (*pb.Collection, url.Values) {
	at, err := url.Parse(topic)
	if err != nil {
		return nil, nil
	}
	name, _, _ := strings.Cut(at.Path, "/")
	collection, err := app.FindCachedCollectionByNameOrId(name)
	if err != nil {
		return nil, nil
	}
	var options struct{ Query map[string]any }
	if json.Unmarshal([]byte(at.Query().Get("options")), &options) != nil {
		return nil, nil
	}
	query := url.Values{}
	for name, value := range options.Query {
		query.Set(name, fmt.Sprint(value))
	}
	return collection, query
}

// refuse returns an error for a query that would tell what the caller may not see. What is no
// filter and no field is refused elsewhere.
func refuse(e *pb.RequestEvent, collection *pb.Collection, query url.Values) error {
	info, err := e.RequestInfo()
	if err != nil {
		return err
	}
	see := sight{e.App, collection, info}
	for _, field := range search.ParseSortFromString(query.Get(search.SortQueryParam)) {
		if found, err := see.resolver().Resolve(field.Name); err == nil && found.AfterBuild != nil {
			return e.BadRequestError(fmt.Sprintf("The records cannot be sorted by %q, because users may hide it.", field.Name), nil)
		}
	}
	groups, _ := fexpr.Parse(query.Get(search.FilterQueryParam))
	if name := see.hiddenIn(groups); name != "" {
		return e.BadRequestError(fmt.Sprintf("The filter compares all values of %q, some of which may be hidden. Write ?= for =, so that one that is shown has to match; the other operators have such forms, too.", name), nil)
	}
	return nil
}

// sight is what a caller sees, from a collection on.
type sight struct {
	app        pb.App
	collection *pb.Collection
	info       *pb.RequestInfo
}

func (s sight) resolver() *pb.RecordFieldResolver {
	return pb.NewRecordFieldResolver(s.app, s.collection, s.info, false)
}

// hiddenIn returns a name in a filter with which hidden values are compared, or "".
func (s sight) hiddenIn(groups []fexpr.ExprGroup) string {
	for _, group := range groups {
		var name string
		switch item := group.Item.(type) {
		case []fexpr.ExprGroup:
			name = s.hiddenIn(item)
		case fexpr.ExprGroup:
			name = s.hiddenIn([]fexpr.ExprGroup{item})
		case fexpr.Expr:
			if !strings.HasPrefix(string(item.Op), "?") {
				name = s.hiddenOf(item.Left, item.Right)
			}
		}
		if name != "" {
			return name
		}
	}
	return ""
}

// hiddenOf returns a name among the sides of a comparison that has hidden values, or "".
func (s sight) hiddenOf(sides ...fexpr.Token) string {
	for _, side := range sides {
		if arguments, isCall := side.Meta.([]fexpr.Token); isCall {
			if name := s.hiddenOf(arguments...); name != "" {
				return name
			}
		}
	}
	at := slices.IndexFunc(sides, func(side fexpr.Token) bool { return side.Type == fexpr.TokenIdentifier && s.hides(side.Literal) })
	if at < 0 {
		return ""
	}
	return sides[at].Literal
}

// hides reports whether a path has several values some of which the caller may not see.
func (s sight) hides(path string) bool {
	resolver := s.resolver()
	found, err := resolver.Resolve(path)
	if err != nil || found.MultiMatchSubQuery == nil {
		return false
	}
	// The resolver adds the list rules of the collections on the path as conditions.
	query := s.app.RecordQuery(s.collection)
	return found.AfterBuild != nil || resolver.UpdateQuery(query) != nil || query.Info().Where != nil
}
