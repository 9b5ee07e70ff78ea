package sandbox

import (
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	slashes "path"
	"slices"
	"strconv"
	"strings"
)

// pageFiles are the page's templates, style, script and icons, and the library that morphs it, with the licence of the
// library.
//
//go:embed page
var pageFiles embed.FS

var pageTemplates = template.Must(template.New("").Funcs(template.FuncMap{
	"text":   object.text,
	"is":     object.is,
	"raw":    func(o object, name string) string { return string(o[name]) },
	"more":   func(rows int) int { return rows + rowsAtOnce },
	"escape": url.PathEscape,
	"image":  splitImage,
	"listed": listedHeader,
	"quote":  Quote,
	"moment": moment,
}).ParseFS(pageFiles, "page/*.html"))

// pageRoutes returns the routes of the page. The interface does not have them.
func (s *Sandbox) pageRoutes() map[string]func(*exchange) *answer {
	return map[string]func(*exchange) *answer{
		"GET /{$}":                    s.page,
		"GET /page/parts":             s.pageParts,
		"GET /page/requests/{number}": s.pageRequest,
		"GET /page/{file}":            pageFile,
		"GET /favicon.ico":            pageFile, // browsers request it beside other documents, such as JSON
	}
}

// page answers with the whole page.
func (s *Sandbox) page(x *exchange) *answer {
	return render("page.html", s.pageData(x.request))
}

// pageParts answers with the parts whose entity tags are not among those of the request, or with 204.
func (s *Sandbox) pageParts(x *exchange) *answer {
	parts := s.pageData(x.request).Parts
	maps.DeleteFunc(parts, func(_ string, part pagePart) bool {
		return slices.Contains(x.request.Form["etag"], part.ETag)
	})
	if len(parts) == 0 {
		return respond(http.StatusNoContent, nil).set("Cache-Control", "no-store")
	}
	return render("parts", parts)
}

// pageRequest answers with a request and its answer, headers and body.
func (s *Sandbox) pageRequest(x *exchange) *answer {
	number, _ := strconv.Atoi(x.request.PathValue("number"))
	shown := s.requestRows(baseOf(x.request), pageForm{Request: number}).Shown
	page := render("request.html", shown)
	if shown.Number == 0 {
		page.status = http.StatusNotFound
	}
	return page
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
		set("Content-Type", kind).
		set("Cache-Control", "no-cache").
		set("X-Content-Type-Options", "nosniff")
}

// execute runs a template and returns its output.
func execute(name string, data any) string {
	var text strings.Builder
	must(pageTemplates.ExecuteTemplate(&text, name, data))
	return text.String()
}

// render answers with the output of a template. A page loads only its own scripts and styles.
func render(name string, data any) *answer {
	return respond(http.StatusOK, []byte(execute(name, data))).
		set("Content-Type", "text/html; charset=utf-8").
		set("Cache-Control", "no-store").
		set("Referrer-Policy", "no-referrer").
		set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "+
			"img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
}

// splitImage splits an image before its digest. In a narrow row the page cuts the beginning of the first part and the
// end of the second, because revisions differ in the rest.
func splitImage(image string) [2]string {
	name, _, _ := strings.Cut(image, "@")
	return [2]string{name, image[len(name):]}
}

// Quote returns a text as one word of a shell.
func Quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// WithAuthority sets a certificate, in PEM, for the page to print among the lines that set a client up.
func WithAuthority(certificate string) Option {
	return func(s *choices) { s.authority = certificate }
}
