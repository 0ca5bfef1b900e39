package browsing_test

import (
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/browsing"
)

const shop = `<!doctype html><title>Shop</title><h1>Cups</h1>
<form action="/found"><label>Search <input name="q"></label><label>Colour <select name="c"><option>Red</option><option value="b">Deep blue</option></select></label><button>Find</button></form>
<ul><li>Cup <button>Buy</button></li><li>Plate <button>Buy</button></li></ul><button disabled>Pay</button>`

func shopStudio(t *testing.T) *studio {
	return newStudio(t, map[string]string{"/": shop, "/found": `<!doctype html><title>Found</title><h2>One thing</h2>`})
}

func at(role, name string) *core.CheckTarget { return &core.CheckTarget{Role: role, Name: name} }

func count(n int) *int { return &n }

func TestStepsAreCarriedOut(t *testing.T) {
	s := shopStudio(t)
	page := s.page("/")
	ref := regexp.MustCompile(`textbox "Search" (e\d+)`).FindStringSubmatch(look(t, page).Text)[1]
	steps := []core.CheckStep{
		{Expect: core.ExpectCount, Target: at("button", "Buy"), Count: count(2)},
		{Do: core.CheckFill, Target: &core.CheckTarget{Ref: ref}, Value: "cup"},
		{Do: core.CheckSelect, Target: at("COMBOBOX", " colour "), Value: "Deep blue"},
		{Expect: core.ExpectText, Target: at("textbox", "Search"), Value: "CUP"},
		{Do: core.CheckClick, Target: at("button", "Find")},
		{Expect: core.ExpectURL, Value: "/found"},
		{Expect: core.ExpectURL, Value: "/found?c=b&q=cup"},
		{Expect: core.ExpectVisible, Target: at("heading", "one thing")},
		{Expect: core.ExpectHidden, Target: at("button", "Find")},
		{Expect: core.ExpectText, Value: "one  Thing"},
	}
	for _, step := range steps {
		if err := page.Perform(t.Context(), step); err != nil {
			t.Fatalf("%+v: %v", step, err)
		}
	}
	path, trail := page.Trail()
	if path != "/" || len(trail) != len(steps) || *trail[1].Target != (core.CheckTarget{Role: "textbox", Name: "Search"}) {
		t.Errorf("got %s %+v, want the steps with names instead of references", path, trail)
	}
	must(t, page.Go(t.Context(), "/found"))
	if path, trail := page.Trail(); path != "/found" || len(trail) > 0 {
		t.Errorf("got %s %+v after another page was opened, want nothing", path, trail)
	}
}

func TestTheTrailTellsElementsApart(t *testing.T) {
	page := shopStudio(t).page("/")
	refs := regexp.MustCompile(`button "Buy" (e\d+)`).FindAllStringSubmatch(look(t, page).Text, -1)
	must(t, page.Perform(t.Context(), core.CheckStep{Do: core.CheckPress, Target: &core.CheckTarget{Ref: refs[1][1]}, Value: "Tab"}))
	if _, trail := page.Trail(); len(trail) != 1 || *trail[0].Target != (core.CheckTarget{Role: "button", Name: "Buy", Nth: 2}) {
		t.Errorf("got %+v, want the second button", trail)
	}
}

func TestStepsThatAreNotPossibleSayWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := shopStudio(t).page("/")
		for _, c := range []struct {
			step core.CheckStep
			want string
		}{
			{core.CheckStep{Do: core.CheckClick, Target: &core.CheckTarget{Ref: "e99"}}, `no element "e99": look at the page again`},
			{core.CheckStep{Do: core.CheckClick, Target: at("button", "Sell")}, `no button "Sell"; the page has the button "Find", "Buy", "Pay"`},
			{core.CheckStep{Do: core.CheckClick, Target: at("switch", "")}, `no switch; the page has no switch`},
			{core.CheckStep{Do: core.CheckClick, Target: at("button", "Buy")}, `2 elements like button "Buy"`},
			{core.CheckStep{Do: core.CheckClick, Target: &core.CheckTarget{Role: "button", Name: "Buy", Nth: 3}}, `only 2 elements`},
			{core.CheckStep{Do: core.CheckClick, Target: at("button", "Pay")}, `the button "Pay" is disabled`},
			{core.CheckStep{Do: core.CheckGoto, Value: "https://example.com"}, "begins with /"},
			{core.CheckStep{Expect: core.ExpectVisible, Target: at("link", "Home")}, `expected link "Home" to be visible`},
			{core.CheckStep{Expect: core.ExpectHidden, Target: at("heading", "Cups")}, `expected no heading "Cups"`},
			{core.CheckStep{Expect: core.ExpectCount, Target: at("button", "Buy"), Count: count(3)}, "expected 3 of button \"Buy\", but there are 2"},
			{core.CheckStep{Expect: core.ExpectVisible, Target: &core.CheckTarget{Role: "button", Name: "Buy", State: "disabled"}}, `expected button "Buy" that is disabled to be visible`},
			{core.CheckStep{Expect: core.ExpectHidden, Target: &core.CheckTarget{Role: "button", State: "disabled"}}, `expected no button that is disabled`},
			{core.CheckStep{Expect: core.ExpectURL, Value: "/cart"}, `expected the address "/cart", but it is "/"`},
			{core.CheckStep{Expect: core.ExpectText, Value: "Sold out"}, "nowhere"},
			{core.CheckStep{Expect: core.ExpectText, Target: at("heading", "Cups"), Value: "Plates"}, `but it has "Cups`},
			{core.CheckStep{Expect: core.ExpectText, Target: at("heading", "Pots"), Value: "x"}, "but there is none"},
		} {
			err := page.Perform(t.Context(), c.step)
			if !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v: got %v, want %q", c.step, err, c.want)
			}
		}
		if _, trail := page.Trail(); len(trail) > 0 {
			t.Errorf("got %+v, want nothing that failed", trail)
		}
	})
}

func TestShortenedNamesFit(t *testing.T) {
	s := newStudio(t, map[string]string{"/": `<!doctype html><button>` + strings.Repeat("long ", 50) + `</button>`})
	page := s.page("/")
	name := regexp.MustCompile(`"(long.*…)"`).FindStringSubmatch(look(t, page).Text)[1]
	must(t, page.Perform(t.Context(), core.CheckStep{Do: core.CheckClick, Target: at("button", name)}))
}

func TestAPathOfAnotherHostIsRefused(t *testing.T) {
	page := shopStudio(t).service.Page(browsing.Visit{Project: core.NewID()})
	defer page.Close()
	for _, path := range []string{"https://example.com/", "//example.com/", "about"} {
		if err := page.Go(t.Context(), path); !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("%s: got %v, want code %s", path, err, core.CodeValidationFailed)
		}
	}
}
