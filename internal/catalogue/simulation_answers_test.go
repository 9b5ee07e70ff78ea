package catalogue_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
)

// The documents of a simulated service, and the errors in which it may repeat a credential.

// headers returns the headers of an answer.
func (s *simService) headers(r *rand.Rand, x *request) http.Header {
	id := strings.TrimSpace(fmt.Sprintf("request-%d %s", x.number, s.echo(r, x)))
	return http.Header{
		"Content-Type": {"application/json"},
		"X-Request-Id": {id},
		"Server":       {id},
	}
}

// echo returns one of the credentials of a request in one of many spellings, or "" if the service repeats none.
func (s *simService) echo(r *rand.Rand, x *request) string {
	if !s.plan.service.echoes {
		return ""
	}
	credentials := []string{s.secret, strings.TrimSpace(s.secret)}
	if x.with != nil {
		credentials = append(credentials, x.with.text)
	}
	credential := oneOf(r, credentials...)
	spellings := []string{
		credential,
		url.QueryEscape(credential),
		url.PathEscape(credential),
		strings.Trim(string(inJSON(credential)), `"`),
	}
	for _, text := range []string{credential, "northwind:" + credential, "Bearer " + credential} {
		spellings = append(spellings,
			base64.StdEncoding.EncodeToString([]byte(text)),
			base64.RawURLEncoding.EncodeToString([]byte(text)))
	}
	return strings.ReplaceAll(oneOf(r, spellings...), "\n", "")
}

// fail returns an answer other than 200, in the shape of the endpoint.
func (s *simService) fail(r *rand.Rand, x *request, status int, code string) reply {
	x.code = code
	message := fmt.Sprintf("Message %d says %s.", x.number, s.echo(r, x))
	body := map[string]any{
		"code":       code,
		"message":    message,
		"statusCode": status,
	}
	if code == "VALIDATION_FAILED" {
		issue := map[string]any{
			"field":    "id",
			"messages": []string{message},
		}
		body["data"] = map[string]any{"issues": []any{issue}}
	}
	if x.token && status != http.StatusTooManyRequests {
		body = map[string]any{
			"error":             code,
			"error_description": message,
		}
	}
	return reply{
		status: status,
		header: s.headers(r, x),
		body:   string(inJSON(body)),
	}
}

func inJSON(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

// simDocument returns a document of the service, and a short form of it.
func simDocument(path string, revision int) (document, answer string) {
	parts := strings.Split(path+"//", "/")
	group := parts[3]
	model := func(revision int) (document, answer string) {
		answer = fmt.Sprintf("%s-%d", group, revision)
		return fmt.Sprintf(`{"id":%q,"modelGroupId":%q,"revision":%d,"tags":["a","b"]}`, answer, group, revision), answer
	}
	object := fmt.Sprintf(`{"id":%q,"name":"Group","latestRevision":%d,"models":[]}`, group, revision)
	switch {
	case group == "":
		return "[" + strings.Replace(object, `""`, `"any"`, 1) + "]", ""
	case parts[4] == "":
		return object, fmt.Sprintf("%s@%d", group, revision)
	case parts[4] == "latest-model":
		return model(revision)
	}
	for i := revision; i > 0; i-- {
		d, a := model(i)
		document, answer = document+","+d, answer+","+a
	}
	return "[" + document[1:] + "]", answer[1:]
}
