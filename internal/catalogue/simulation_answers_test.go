package catalogue_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
)

// The documents and errors of a simulated service. They may repeat a credential.

// headers returns the headers of an answer.
func (s *simService) headers(r *rand.Rand, x *request) http.Header {
	id := strings.TrimSpace(fmt.Sprintf("request-%d %s", x.number, s.echo(r, x)))
	return http.Header{
		"Content-Type": {"application/json"},
		"X-Request-Id": {id},
		"Server":       {id},
	}
}

// echo returns one of the credentials of a request, in one of two spellings, or "" for none.
func (s *simService) echo(r *rand.Rand, x *request) string {
	if !s.plan.service.echoes {
		return ""
	}
	credentials := []string{s.secret, strings.TrimSpace(s.secret)}
	if x.with != nil {
		credentials = append(credentials, x.with.text)
	}
	credential := oneOf(r, credentials...)
	return strings.ReplaceAll(oneOf(r, credential, url.QueryEscape(credential)), "\n", "")
}

// fail returns an error in the shape of the endpoint.
func (s *simService) fail(r *rand.Rand, x *request, status int, code string) reply {
	x.code = code
	message := fmt.Sprintf("Message %d says %s.", x.number, s.echo(r, x))
	body := map[string]any{
		"code":    code,
		"message": message,
		"data":    map[string]any{"issues": []any{map[string]any{"field": "id", "messages": []string{message}}}},
	}
	if x.token && status != http.StatusTooManyRequests {
		body = map[string]any{"error": code, "error_description": message}
	}
	return reply{status: status, header: s.headers(r, x), body: string(inJSON(body))}
}

func inJSON(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

// simDocument returns a named record of the service, or a list of one. It is a group and a model at once.
func simDocument(path, name string) string {
	parts := strings.Split(path+"//", "/")
	record := fmt.Sprintf(`{"id":%[1]q,"modelGroupId":%[1]q,"name":%[2]q,"revision":1,"latestRevision":1,"models":[]}`,
		cmp.Or(parts[3], "any"), name)
	if parts[3] == "" || parts[4] == "models" {
		return "[" + record + "]"
	}
	return record
}
