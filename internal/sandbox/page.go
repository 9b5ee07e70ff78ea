package sandbox

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	slashes "path"
	"slices"
	"strconv"
	"strings"
)

// pageFiles are the page's templates, its style, its script, and the library that morphs it.
//
//go:embed page
var pageFiles embed.FS

var pageTemplates = template.Must(template.New("").Funcs(template.FuncMap{
	"text":    object.text,
	"is":      object.is,
	"raw":     func(o object, name string) string { return string(o[name]) },
	"escape":  url.PathEscape,
	"time":    splitTime,
	"image":   splitImage,
	"exports": exports,
}).ParseFS(pageFiles, "page/*.html"))

// pageRoutes are the routes of the page, which are not in the interface.
func (s *Sandbox) pageRoutes() map[string]func(*exchange) *answer {
	return map[string]func(*exchange) *answer{
		"GET /{$}":                    s.page,
		"GET /page/changes":           s.changes,
		"GET /page/requests/{number}": s.pageRequest,
		"GET /page/{file}":            pageFile,
		"GET /favicon.ico":            pageFile, // browsers ask for it if they show another answer
	}
}

// page answers with the whole page.
func (s *Sandbox) page(x *exchange) *answer {
	return render("page.html", s.view(x.request, mark{}))
}

// changes answers with the parts of the page that have changed since a mark of it, or 204 if none has. Each part is an
// element whose id the page has, too.
func (s *Sandbox) changes(x *exchange) *answer {
	since := parseMark(x.request.FormValue("since"))
	v := s.view(x.request, since)
	if v.Mark == since {
		return respond(http.StatusNoContent, nil).with("Cache-Control", "no-store")
	}
	return render("changes", v)
}

// pageRequest answers with a request and its answer, headers and body.
func (s *Sandbox) pageRequest(x *exchange) *answer {
	number := x.request.PathValue("number")
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.requests, func(e *entry) bool { return strconv.Itoa(e.Number) == number })
	if i < 0 {
		const problem = "The sandbox has no request with the number %q. It keeps the last %d."
		return deny("NOT_FOUND", fmt.Sprintf(problem, number, keptRequests))
	}
	e := *s.requests[i]
	return render("request.html", newRequestView(e, s.namesLocked()[e.Group]))
}

// pageTypes are the content types of the page's files.
var pageTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

// pageFile answers with a file of the page, or with its icon if the route names none.
func pageFile(x *exchange) *answer {
	name := cmp.Or(x.request.PathValue("file"), "icon.svg")
	kind := pageTypes[slashes.Ext(name)]
	text, err := pageFiles.ReadFile("page/" + name)
	if err != nil || kind == "" {
		return deny("NOT_FOUND", fmt.Sprintf("The page has no file %q.", name))
	}
	return respond(http.StatusOK, text).
		with("Content-Type", kind).
		with("Cache-Control", "no-cache").
		with("X-Content-Type-Options", "nosniff")
}

// render answers with a template. The page runs no script and has no style but its own files.
func render(name string, data any) *answer {
	var text bytes.Buffer
	if err := pageTemplates.ExecuteTemplate(&text, name, data); err != nil {
		panic("sandbox: " + err.Error())
	}
	return respond(http.StatusOK, text.Bytes()).
		with("Content-Type", "text/html; charset=utf-8").
		with("Cache-Control", "no-store").
		with("Referrer-Policy", "no-referrer").
		with("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "+
			"img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
}

// splitImage splits an image into its registry with the path, its name, and its tag and digest. If a row has no room,
// the page cuts the first, because the end tells revisions apart.
func splitImage(image string) [3]string {
	slash := strings.LastIndex(image, "/") + 1
	path, name := image[:slash], image[slash:]
	end := strings.IndexAny(name, ":@")
	if end < 0 {
		end = len(name)
	}
	return [3]string{path, name[:end], name[end:]}
}

// splitTime splits an ISO 8601 timestamp into the day and the time, to the minute. Any other text is a day.
func splitTime(text string) [2]string {
	const minute = len("15:04")
	day, clock, _ := strings.Cut(text, "T")
	if len(clock) < minute {
		return [2]string{text}
	}
	return [2]string{day, clock[:minute]}
}

// exports returns the lines that set a client up, for a shell.
func exports(base, authority string, o Organisation) string {
	var text strings.Builder
	export := func(name, value string) {
		if value != "" {
			quoted := strings.ReplaceAll(value, "'", `'\''`)
			fmt.Fprintf(&text, "export MODELCATALOGUE_%s='%s'\n", name, quoted)
		}
	}
	export("BASE_URL", base)
	export("CLIENT_ID", o.ClientID)
	export("CLIENT_SECRET", o.ClientSecret)
	export("CA_CERTIFICATE_PEM", authority)
	return strings.TrimSpace(text.String())
}

// WithAuthority has the page print a certificate, in PEM, among the lines that set a client up.
func WithAuthority(certificate string) Option {
	return func(s *settings) { s.authority = certificate }
}
