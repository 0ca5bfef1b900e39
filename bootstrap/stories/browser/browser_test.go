// Package browser looks at previews and published sites as people do: in a real
// browser, against the local program. Packages come from the npm registry.
package browser

import "testing"

// TestBrowser plays all stories in one browser, because starting one takes a second. As
// many run in parallel as go test allows, because nearly all of them wait. The pages of
// the templates are kept as pictures with
//
//	go test -run TestBrowser/template -artifacts -outputdir DIR ./bootstrap/stories/browser
func TestBrowser(t *testing.T) {
	t.Parallel()
	c, s := startChromium(t), startService(t, "localhost")
	for name, story := range map[string]func(*testing.T, *chromium, *service){
		"every template renders":                          everyTemplateRenders,
		"first pages are sound":                           firstPagesAreSound,
		"the demo builds its examples":                    theDemoBuildsItsExamples,
		"the demo's examples work":                        theExamplesWork,
		"the todo app works":                              theTodoAppWorks,
		"a guestbook is shared":                           aGuestbookIsShared,
		"a published application keeps its routes":        aPublishedApplicationKeepsItsRoutes,
		"a lost connection loses no record":               aLostConnectionLosesNoRecord,
		"a saved file appears by itself":                  aSavedFileAppearsByItself,
		"a file that does not build leaves the last page": aFileThatDoesNotBuildLeavesTheLastPage,
		"a page without a stream asks again":              aPageWithoutAStreamAsksAgain,
		"a project that never built says why":             aProjectThatNeverBuiltSaysWhy,
		"what goes wrong in a page is reported":           whatGoesWrongInAPageIsReported,
		"the description of the API can be read":          theDescriptionCanBeRead,
		"a saved component keeps its state":               aSavedComponentKeepsItsState,
		"a saved value reaches those that use it":         aSavedValueReachesThoseThatUseIt,
		"a hook that gains a hook starts anew":            aHookThatGainsAHookStartsAnew,
		"an export may be another component":              anExportMayBeAnotherComponent,
		"a saved style is exchanged":                      aSavedStyleIsExchanged,
		"a mistake in a source costs no state":            aMistakeInASourceCostsNoState,
		"a module that throws is shown and recovers":      aModuleThatThrowsIsShownAndRecovers,
		"what a page cannot follow loads it again":        whatAPageCannotFollowLoadsItAgain,
		"what Vite knows works":                           whatViteKnowsWorks,
		"a glob and a worker follow their files":          aGlobAndAWorkerFollowTheirFiles,
		"a module takes its own new versions":             aModuleTakesItsOwnNewVersions,
		"a class that is saved is styled":                 aClassThatIsSavedIsStyled,
		"reports name the source":                         reportsNameTheSource,
		"what arrives from elsewhere previews":            whatArrivesPreviews,
		"what was reported is mended":                     whatWasReportedIsMended,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			story(t, c, s)
		})
	}
	t.Run("a popup signs people in", func(t *testing.T) {
		t.Parallel()
		aPopupSignsPeopleIn(t, c)
	})
	t.Run("pages of users cannot act for who looks at them", func(t *testing.T) {
		t.Parallel()
		pagesOfUsersCannotAct(t, c)
	})
}
