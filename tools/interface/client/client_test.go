// Package client is a client of the service, generated from its interface by tools/interface.sh.
package client

import (
	"context"
	"net/http"
	"os"
	"testing"
)

// TestRead reads every route of the sandbox at URL.
func TestRead(t *testing.T) {
	c, err := NewClientWithResponses(os.Getenv("URL"))
	if err != nil {
		t.Fatal(err)
	}
	bearer := authorize(t, c)
	groups, err := c.ListModelGroupsWithResponse(t.Context(), nil, bearer)
	if err != nil || groups.JSON200 == nil {
		t.Fatal(err)
	}
	count := 0
	for _, group := range *groups.JSON200 {
		count += readGroup(t, c, group, bearer)
	}
	none, err := c.GetModelGroupWithResponse(t.Context(), "nope", bearer)
	if err != nil || none.JSON404 == nil || none.JSON404.Code != "NOT_FOUND" {
		t.Error(err)
	}
	t.Logf("the Go client reads %d groups and %d models", len(*groups.JSON200), count)
}

// authorize asks for a token, and returns what adds it to a request.
func authorize(t *testing.T, c *ClientWithResponses) RequestEditorFn {
	t.Helper()
	token, err := c.IssueTokenWithFormdataBodyWithResponse(t.Context(), IssueTokenFormdataRequestBody{
		GrantType:    "client_credentials",
		ClientId:     "northwind",
		ClientSecret: "northwind-sandbox-secret",
	})
	if err != nil || token.JSON200 == nil {
		t.Fatal(err)
	}
	return func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+*token.JSON200.AccessToken)
		return nil
	}
}

// readGroup reads a group by each route of its own, and returns how many models it has.
func readGroup(t *testing.T, c *ClientWithResponses, group ModelGroup, bearer RequestEditorFn) int {
	t.Helper()
	one, err := c.GetModelGroupWithResponse(t.Context(), group.Id, bearer)
	if err != nil || one.JSON200 == nil || one.JSON200.LatestRevision != group.LatestRevision {
		t.Error(group.Id, err)
	}
	models, err := c.ListModelsWithResponse(t.Context(), group.Id, bearer)
	if err != nil || models.JSON200 == nil {
		t.Fatal(group.Id, err)
	}
	latest, err := c.GetLatestModelWithResponse(t.Context(), group.Id, bearer)
	if err != nil || (latest.JSON200 == nil) != (len(*models.JSON200) == 0) {
		t.Error(group.Id, err)
	}
	return len(*models.JSON200)
}
