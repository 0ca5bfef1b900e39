package sitehost

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/formpost"
	"github.com/atelierhq/atelier/adapters/internal/ratelimit"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Data answers for the records of projects as backends.Service does, or for their functions as
// functions.Service does.
type Data interface {
	Serve(w http.ResponseWriter, r *http.Request, at backend.Place)
}

// backendHandler is what answers for the backends of projects. A nil part means that no project has one.
type backendHandler struct {
	data, functions Data
	visitor         func(r *http.Request) netip.Addr
	// forms bounds the forms that one address sends to one project.
	forms *ratelimit.Limiter
}

// formsPerMinute bounds the forms that one address sends to one project.
const formsPerMinute = 10

func newAnswering(deps Deps) backendHandler {
	return backendHandler{deps.Data, deps.Functions, deps.Visitor, ratelimit.New(formsPerMinute, time.Now)}
}

// identify makes a request carry the address of its visitor, by which the engine limits attempts
// to sign in, in the place of its connection's and of what the visitor itself sent.
func (a backendHandler) identify(r *http.Request) {
	if a.visitor != nil {
		if address := a.visitor(r); address.IsValid() {
			r.RemoteAddr = netip.AddrPortFrom(address, 0).String()
		}
	}
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip"} {
		r.Header.Del(name)
	}
}

// isData reports whether a path belongs to a project's backend: neither a file of the project's
// nor one of its client-side routes ever answers for it.
func isData(path string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return first == "_data" || first == "_fn"
}

// isFunction reports whether a path is that of a function.
func isFunction(path string) bool { return strings.HasPrefix(path, "/_fn/") }

// refuseData answers that an application has no backend.
func refuseData(w http.ResponseWriter) {
	backend.Refuse(w, http.StatusNotFound, "This application has no backend.")
}

// showFailure shows why there is no page. Clients of a backend get it in their form, unless a person
// has followed a link.
func showFailure(w http.ResponseWriter, r *http.Request, status int, shown notice) {
	if isData(r.URL.Path) && !strings.Contains(r.Header.Get("Accept"), "text/html") {
		w.Header()["Cache-Control"] = noStore
		backend.Refuse(w, status, shown.Title+".")
		return
	}
	showNotice(w, r, status, shown)
}

// serveData answers a request to a project's backend.
func serveData(of backendHandler, w http.ResponseWriter, r *http.Request, at backend.Place) {
	w.Header()["Cache-Control"] = noStore
	of.identify(r)
	if of.functions != nil && isFunction(r.URL.Path) {
		of.functions.Serve(w, r, at)
		return
	}
	data := of.data
	if data == nil || !strings.HasPrefix(r.URL.Path, "/_data/") {
		refuseData(w)
		return
	}
	if formpost.Is(r.URL.Path) {
		of.takeForm(w, r, at)
		return
	}
	if isConfirm(r.URL.Path) {
		showConfirm(w, r)
		return
	}
	if isReturn(r.URL.Path) {
		showReturn(data, w, r, at)
		return
	}
	data.Serve(w, r, at)
}

// takeForm makes a record of a form that a page has sent without a script, and leads to the page
// that follows. GET of the same address is that page if the form names no other.
func (a backendHandler) takeForm(w http.ResponseWriter, r *http.Request, at backend.Place) {
	words := wordsFor(r)
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		showNotice(w, r, http.StatusOK, words.sent(formpost.At(r).From))
		return
	case http.MethodPost:
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		refuse(w, http.StatusMethodNotAllowed, "forms are sent with POST")
		return
	}
	post, err := formpost.Read(w, r)
	switch {
	case core.IsCode(err, core.CodePayloadTooLarge):
		showNotice(w, r, http.StatusRequestEntityTooLarge, words.problem(words.large, post.From))
	case core.IsCode(err, core.CodeForbidden):
		showNotice(w, r, http.StatusForbidden, words.problem(words.foreign, post.From))
	case err != nil:
		showNotice(w, r, http.StatusBadRequest, words.problem(words.unreadable, post.From))
	case post.Spam:
		lead(w, post) // the program learns nothing
	case a.forms.Take(string(at.Project)+" "+string(at.Env)+" "+connectionKey(r)) != nil:
		w.Header().Set("Retry-After", "60")
		showNotice(w, r, http.StatusTooManyRequests, words.problem(words.often, post.From))
	default:
		a.keepForm(w, r, at, post)
	}
}

// lead leads a browser from a sent form to the page that follows.
func lead(w http.ResponseWriter, post formpost.Post) {
	to := post.Next
	if to == "" {
		to = core.FormsPath + post.Collection + "?" + url.Values{core.FormFrom: {post.From}}.Encode()
	}
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
}

// maxRecord bounds what is read of the engine's answer to a form.
const maxRecord = 1 << 20

// keepForm lets the backend keep the answers of a form. Who tries the form on a preview is told why
// it does not work; visitors of the site only what they can do about it.
func (a backendHandler) keepForm(w http.ResponseWriter, r *http.Request, at backend.Place, post formpost.Post) {
	words, own := wordsFor(r), at.Env == core.DataTest
	answer := backend.NewRecorder(maxRecord)
	a.data.Serve(answer, post.Request(r), at)
	status, text := answer.Status(), backend.RefusalText(answer.Body())
	switch {
	case status < http.StatusBadRequest:
		if lost := post.Lost(answer.Body()); own && len(lost) > 0 {
			showNotice(w, r, http.StatusOK, words.problem("The collection "+post.Collection+" has no field "+strings.Join(lost, ", ")+", so these answers were not kept. Add it in backend/schema.json.", post.From))
			return
		}
		lead(w, post)
	case status == http.StatusBadRequest && text != "":
		showNotice(w, r, status, words.problem(text+".", post.From))
	case status == http.StatusTooManyRequests:
		w.Header().Set("Retry-After", "60")
		showNotice(w, r, status, words.problem(words.often, post.From))
	case own && status == http.StatusNotFound:
		showNotice(w, r, status, words.problem("There is no collection "+post.Collection+". Add it in backend/schema.json, with \"createRule\": \"\".", post.From))
	case own && status == http.StatusForbidden:
		showNotice(w, r, status, words.problem("Visitors may not create records in "+post.Collection+". Give it \"createRule\": \"\" in backend/schema.json.", post.From))
	default:
		showNotice(w, r, status, words.problem(words.closed, post.From))
	}
}

// formWords are what visitors read after they have sent a form.
type formWords struct {
	lang, thanks, arrived, failed, back, large, foreign, unreadable, often, closed string
}

var formLanguages = []formWords{
	{
		"en", "Thank you", "Your answers have arrived.", "The form was not sent", "Back to the page",
		"The form is too large: choose smaller files.", "The form belongs to another site.", "The form cannot be read. Go back and send it again.",
		"Too many forms in a short time. Wait a minute, go back and send it again.", "This form takes no answers right now. Try again later.",
	},
	{
		"de", "Danke", "Ihre Angaben sind angekommen.", "Das Formular wurde nicht gesendet", "Zurück zur Seite",
		"Das Formular ist zu groß: Wählen Sie kleinere Dateien.", "Das Formular gehört zu einer anderen Website.", "Das Formular ist nicht lesbar. Gehen Sie zurück und senden Sie es noch einmal.",
		"Zu viele Formulare in kurzer Zeit. Warten Sie eine Minute, gehen Sie zurück und senden Sie es noch einmal.", "Dieses Formular nimmt gerade nichts an. Versuchen Sie es später noch einmal.",
	},
}

// wordsFor returns the words in the language that a browser prefers.
func wordsFor(r *http.Request) formWords {
	for tag := range strings.SplitSeq(r.Header.Get("Accept-Language"), ",") {
		tag, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(tag)), ";")
		language, _, _ := strings.Cut(tag, "-")
		for _, words := range formLanguages {
			if words.lang == language {
				return words
			}
		}
	}
	return formLanguages[0]
}

func (f formWords) sent(from string) notice {
	return notice{Lang: f.lang, Title: f.thanks, Text: f.arrived, Link: from, LinkText: f.back}
}

func (f formWords) problem(text, from string) notice {
	return notice{Lang: f.lang, Title: f.failed, Text: text, Link: from, LinkText: f.back}
}
