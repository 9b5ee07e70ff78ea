package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// serve serves the groups group-0, group-1 and so on. Their revisions are copies of the sandbox's richest model. All
// answers are prepared, so a plan waits only for the latency.
func serve(s scenario) (*httptest.Server, error) {
	model, err := richest()
	if err != nil {
		return nil, err
	}
	answers := map[string]string{"/v1/auth/token": `{"access_token": "bench", "expires_in": 3600}`}
	for group := range s.groups {
		revisions := make([]string, s.models)
		for revision := range revisions {
			revisions[revision] = fmt.Sprintf(
				`{"id": "group-%[1]d-%[2]d", "modelGroupId": "group-%[1]d", "revision": %[2]d, %[3]s`,
				group, revision, model[1:])
		}
		path := fmt.Sprintf("/v1/model-group/group-%d", group)
		answers[path+"/models"] = "[" + strings.Join(revisions, ",") + "]"
		answers[path+"/latest-model"] = revisions[s.models-1]
	}
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(s.latency)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answers[r.URL.Path])
	})), nil
}

// richest returns the sandbox's richest model without its id, group and revision.
func richest() ([]byte, error) {
	text, err := sandbox.New(sandbox.Default()).Publish(sandbox.MainGroup, nil)
	if err != nil {
		return nil, err
	}
	var model map[string]json.RawMessage // some numbers have more digits than a float64
	if err := json.Unmarshal(text, &model); err != nil {
		return nil, err
	}
	for _, name := range []string{"id", "modelGroupId", "revision"} {
		delete(model, name)
	}
	return json.Marshal(model)
}
