// Package client is a client of the service, generated from its interface by
// tools/interface.sh.
package client

import (
	"context"
	"net/http"
	"os"
	"testing"
)

// TestRead reads every route of the sandbox at URL.
func TestRead(t *testing.T) {
	ctx := t.Context()
	c, err := NewClientWithResponses(os.Getenv("URL"))
	if err != nil {
		t.Fatal(err)
	}
	token, err := c.IssueTokenWithFormdataBodyWithResponse(ctx, IssueTokenFormdataRequestBody{
		GrantType: "client_credentials", ClientId: "northwind", ClientSecret: "northwind-sandbox-secret",
	})
	if err != nil || token.JSON200 == nil {
		t.Fatal(err)
	}
	bearer := func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+*token.JSON200.AccessToken)
		return nil
	}
	groups, err := c.ListModelGroupsWithResponse(ctx, nil, bearer)
	if err != nil || groups.JSON200 == nil {
		t.Fatal(err)
	}
	count := 0
	for _, g := range *groups.JSON200 {
		one, err := c.GetModelGroupWithResponse(ctx, g.Id, bearer)
		if err != nil || one.JSON200 == nil || one.JSON200.LatestRevision != g.LatestRevision {
			t.Error(g.Id, err)
		}
		models, err := c.ListModelsWithResponse(ctx, g.Id, bearer)
		if err != nil || models.JSON200 == nil {
			t.Fatal(g.Id, err)
		}
		latest, err := c.GetLatestModelWithResponse(ctx, g.Id, bearer)
		if err != nil || (latest.JSON200 == nil) != (len(*models.JSON200) == 0) {
			t.Error(g.Id, err)
		}
		count += len(*models.JSON200)
	}
	none, err := c.GetModelGroupWithResponse(ctx, "nope", bearer)
	if err != nil || none.JSON404 == nil || none.JSON404.Code != "NOT_FOUND" {
		t.Error(err)
	}
	t.Logf("the Go client reads %d groups and %d models", len(*groups.JSON200), count)
}
