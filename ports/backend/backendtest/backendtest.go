// Package backendtest tests backend.Engine, backend.Lists, backend.Queries, backend.Snapshots,
// backend.Switches and backend.Transfers against their port. It speaks HTTP to the engine, as
// PocketBase's client does.
package backendtest

import (
	"cmp"
	"net/http"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/conformance"
)

// Engine is all of an engine.
type Engine interface {
	backend.Engine
	backend.Lists
	backend.Queries
	backend.Snapshots
	backend.Switches
	backend.Transfers
}

// Harness makes the engines of a test.
type Harness interface {
	// Open returns an engine with the bounds that a clause needs, over fresh data. Calling
	// Reopen closes it and opens it again over the same data, as after a restart; both may be
	// called while requests are under way.
	Open(t testing.TB, service Service, limits Limits) Engine
	Reopen(t *testing.T) Engine
}

// Service is the part of the service that an engine reaches. Client is for providers of OAuth.
type Service struct {
	Post    backend.Post
	SignIns backend.SignIns
	Client  *http.Client
}

// Limits are the bounds of each place that a clause needs; 0 is the engine's own.
type Limits struct {
	// FileBytes bounds the files, Streams the realtime connections, Requests the requests in a
	// second.
	FileBytes         int64
	Streams, Requests int
	// SignIn bounds how long a provider of OAuth may take.
	SignIn time.Duration
	// Query bounds each query of a request, and Select each query of SQL. The suite allows
	// far more than an engine does by itself: it asks what a query finds, not how fast a
	// busy machine is.
	Query, Select time.Duration
}

// Run tests an engine against the port. open returns a new harness.
func Run(t *testing.T, open func(t *testing.T) Harness) {
	for _, c := range clauses() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(t, newSuite(t, open(t), c.limits))
		})
	}
}

// clause is one promise of the port.
type clause struct {
	name   string
	test   func(t *testing.T, s *suite)
	limits Limits
}

// many lets a clause send many requests.
var many = Limits{Requests: 100_000}

func clauses() []clause { return append(portClauses(), applicationClauses()...) }

// portClauses are about the methods of the port.
func portClauses() []clause {
	return []clause{
		{"a place without a schema is not found", notFound, Limits{}},
		{"a schema is kept with its ids", keepsSchema, Limits{}},
		{"a record is created, read, changed and deleted", recordsLive, Limits{}},
		{"a guest without a rule is refused", rulesHold, Limits{}},
		{"people sign up, sign in, and see what is theirs", peopleSignIn, Limits{}},
		{"members see everything", ownersSeeAll, Limits{}},
		{"an added field is empty in old records", addsField, Limits{}},
		{"a new name keeps the values", renames, Limits{}},
		{"two fields exchange their names", swapsNames, Limits{}},
		{"collections exchange their names, and follow one another", swapsCollections, Limits{}},
		{"what a schema lacks is removed with its data", dropsWhatIsMissing, Limits{}},
		{"a schema may be empty", emptySchema, Limits{}},
		{"a wrong schema changes nothing, and is located", refusesWrongSchemas, Limits{}},
		{"a check changes nothing", checksWithoutChange, Limits{}},
		{"changes are weighed in records that would lose", weighs, Limits{}},
		{"what a place holds is counted", counts, Limits{}},
		{"removed records are gone, and nothing else", removes, Limits{}},
		{"files are kept, counted and served", keepsFiles, Limits{}},
		{"a snapshot brings back records, files and schema", snapshots, Limits{}},
		{"a copy is apart, and knows no session", copies, Limits{}},
		{"a copy is gone after a restart", copiesEnd, Limits{}},
		{"requests to a copy are not counted", copiesAreNotLimited, Limits{Requests: 5}},
		{"a switch that is kept leaves the new schema", keptSwitch, Limits{}},
		{"a switch that is not kept leaves everything as it was", undoneSwitch, Limits{}},
		{"requests wait for the end of a switch", requestsWait, Limits{}},
		{"a switch survives a restart, and keeps the place closed", switchSurvives, Limits{}},
		{"a switch to a wrong schema changes nothing", wrongSwitch, Limits{}},
		{"many records are inserted", inserts, Limits{}},
		{"inserted users sign in, unless they have no password", insertsUsers, Limits{}},
		{"records are inserted all or none", insertsAllOrNone, Limits{}},
		{"a record that is inserted again is changed", insertsAgain, Limits{}},
		{"an inserted null is as no value", insertsNothing, Limits{}},
		{"all records that are refused are named", namesAllRefused, Limits{}},
		{"a dry run writes nothing", triesOut, Limits{}},
		{"a dump has all records, without secrets", dumps, Limits{}},
		{"an export is the directory of a stock binary", exports, Limits{}},
		{"pages stay where they are while records come and go", pagesStay, Limits{}},
		{"pages follow any order", pagesFollowOrders, Limits{}},
		{"pages go on over relations, and in views", pagesOfOtherKinds, Limits{}},
		{"a wrong list is refused", refusesWrongLists, Limits{}},
		{"a query reads records", queries, Limits{}},
		{"a query sees no secret", queriesHideSecrets, Limits{}},
		{"a query sees collections only", queriesSeeOnlyCollections, Limits{}},
		{"a query is one SELECT", queriesOnlySelect, Limits{}},
		{"a query ends", queriesEnd, Limits{Select: 50 * time.Millisecond}},
		{"a user may be named by the address", actsAsUser, Limits{}},
		{"an answer names the user who was verified", namesUser, Limits{}},
	}
}

// applicationClauses are about requests of applications, and their limits.
func applicationClauses() []clause {
	return []clause{
		{"nothing is behind other paths", nothingElse, many},
		{"mails verify, reset and change, with the application's links", mailsConfirm, Limits{}},
		{"a one-time password signs in once", oneTimePasswords, Limits{}},
		{"people sign in with a provider, and are known the next time", signsInWithProvider, Limits{}},
		{"a provider's user takes over no account, and loses none", providersAndPasswords, Limits{}},
		{"a collection says whether providers are offered, and what they fill", offersProviders, Limits{}},
		{"providers change at once, and no secret is kept", providersAreNotKept, Limits{}},
		{"a wrong code signs nobody in", wrongCodes, Limits{}},
		{"another place's code and state reach nothing", codesStayInTheirPlace, Limits{}},
		{"the window that waits gets the code", redirects, Limits{}},
		{"a hostile provider harms nobody", hostileProviders, Limits{Requests: 100_000, SignIn: 500 * time.Millisecond}},
		{"a provider that hangs holds nothing up", providerHangs, Limits{}},
		{"relations are expanded and filtered", relations, Limits{}},
		{"rules hold behind relations", relationsHideNothingLess, Limits{}},
		{"a list of relations is matched by each and by any", multipleRelations, Limits{}},
		{"a removal cascades, or is refused", cascades, Limits{}},
		{"a unique index refuses a second value", uniqueIndexes, Limits{}},
		{"a view shows what its query selects", views, Limits{}},
		{"a view shows nothing hidden, whatever its name", viewsHideSecrets, Limits{}},
		{"lists are sorted, paged and reduced to fields", lists, Limits{}},
		{"a protected file needs a token", protectedFiles, Limits{}},
		{"a batch happens as a whole, or not at all", batches, Limits{}},
		{"another window sees a create, an update and a delete", listens, Limits{}},
		{"a listener without the right hears nothing", listensWithRightsOnly, Limits{}},
		{"a stream ends when its place is removed", streamsEndOnRemove, Limits{}},
		{"a stream ends when its place is restored", streamsEndOnRestore, Limits{}},
		{"another place's tokens, records, files and topics reach nothing", placesAreApart, Limits{}},
		{"too many requests are told when to come again", limitsRequests, Limits{Requests: 5}},
		{"too many streams are refused", limitsStreams, Limits{Streams: 1}},
		{"full files are refused", limitsFiles, Limits{FileBytes: 100 << 10}},
		{"hostile filters are refused", hostileQueries, many},
		{"made-up queries are answered, and tell nothing that is hidden", soundQueries, many},
		{"spoiled queries tell nothing that is hidden", spoiledQueries, many},
		{"a sort tells nothing that is hidden", sortsByHidden, many},
		{"a filter tells nothing that is hidden", filtersByHidden, many},
		{"a subscription tells nothing that is hidden", subscriptionsByHidden, many},
		{"joined filters find what their parts find", joinsOfFilters, many},
		{"hostile bodies are refused", hostileBodies, many},
		{"hostile queries of SQL are refused", hostileSQL, many},
		{"many write at a time", concurrentWriters, many},
		{"what is acknowledged survives a restart under load", reopensUnderLoad, many},
	}
}

// suite is one clause's engine.
type suite struct {
	harness Harness
	engine  Engine
	mails   *mailbox
	// provider is the one of OAuth, signIns what the places offer.
	provider *provider
	signIns  *signIns
	place    backend.Place
}

func newSuite(t testing.TB, harness Harness, limits Limits) *suite {
	s := &suite{
		harness: harness, mails: &mailbox{}, provider: newProvider(t), signIns: &signIns{},
		place: backend.Place{Project: core.NewID(), Env: core.DataTest},
	}
	limits.Query, limits.Select = conformance.Patience, cmp.Or(limits.Select, conformance.Patience)
	s.engine = harness.Open(t, Service{s.mails, s.signIns, s.provider.client()}, limits)
	return s
}
