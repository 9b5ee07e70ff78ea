package sandbox

import (
	"bytes"
	"html/template"
	"net/http"
)

// indexPage is what a person sees who opens the sandbox in a browser.
var indexPage = template.Must(template.New("index").Parse(`<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>Sandbox of the model catalogue</title>
<h1>This is a sandbox</h1>
<p>It serves made-up models from memory, for tests. It is not the model catalogue
service, and nothing here is kept.</p>
<h2>Organisations</h2>
<table>
<tr><th>Name<th>Client id<th>Standing
{{range .Organisations}}<tr><td>{{.Name}}<td>{{.ClientID}}<td>
{{if .Disabled}}disabled: {{.Disabled}}{{else if .Forbidden}}forbidden{{else}}permitted{{end}}
{{end}}</table>
<h2>Control routes</h2>
<p>They are the sandbox's own. The service has none of them.</p>
<table>
{{range .Routes}}<tr><td><code>{{.Method}} /control/{{.Path}}</code><td>{{.Does}}
{{end}}</table>
</html>
`))

// index answers GET /, which is no part of the interface.
func (s *Sandbox) index(x *exchange) *answer {
	if x.request.Method != http.MethodGet && x.request.Method != http.MethodHead {
		return noSuchResource()
	}
	var data struct {
		Organisations []Organisation
		Routes        []Control
	}
	data.Routes = Controls()
	s.mu.Lock()
	for _, o := range s.organisations {
		data.Organisations = append(data.Organisations, *o)
	}
	s.mu.Unlock()
	var text bytes.Buffer
	if err := indexPage.Execute(&text, data); err != nil {
		panic("sandbox: " + err.Error())
	}
	return respond(http.StatusOK, text.Bytes()).with("Content-Type", "text/html; charset=utf-8")
}
