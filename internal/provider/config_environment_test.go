package provider

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// The variable that each of these may be meant for, "" for none. TestMessages has the sentences.
func TestVariablesThatAreNotRead(t *testing.T) {
	t.Parallel()
	for right, names := range map[string]string{
		"MODELCATALOGUE_BASE_URL": "MODELCATALOGUE_URL MODELCATALOGUE_HOST MODELCATALOGUE_ENDPOINT MODELCATALOGUE_ADDRESS " +
			"MODELCATALOGUE_API_URL MODELCATALOGUE_BASEURL MODELCATALOG_BASE_URL MODEL_CATALOGUE_BASE_URL modelcatalogue_base_url " +
			"MODEL_CATALOG_URL Modelcatalogue_Base_Url MODELCATALOGUE_BASE_URL_FILE MODELCATALOGUE_BASE_URI",
		"MODELCATALOGUE_CLIENT_ID":     "MODELCATALOGUE_ID MODELCATALOGUE_CLIENT MODELCATALOGUE_CLIENTID MODELCATALOGUE_CLIENT-ID",
		"MODELCATALOGUE_CLIENT_SECRET": "MODELCATALOGUE_SECRET MODELCATALOGUE_PASSWORD MODELCATALOGUE_CLIENT_SECRETS",
		"MODELCATALOGUE_CLIENT_SECRET_FILE": "MODELCATALOGUE_SECRET_FILE MODELCATALOGUE_CLIENTSECRETFILE " +
			"modelcatalogue_client_secret_file",
		"MODELCATALOGUE_ACCESS_TOKEN":      "MODELCATALOGUE_TOKEN MODELCATALOGUE_API_TOKEN MODELCATALOGUE_BEARER_TOKEN",
		"MODELCATALOGUE_ACCESS_TOKEN_FILE": "MODELCATALOGUE_TOKEN_FILE",
		"MODELCATALOGUE_CA_CERTIFICATE_PEM": "MODELCATALOGUE_CA MODELCATALOGUE_CA_CERT MODELCATALOGUE_CA_CERTIFICATE " +
			"MODELCATALOGUE_CACERTIFICATEPEM",
		"MODELCATALOGUE_REQUEST_TIMEOUT":     "MODELCATALOGUE_REQUESTTIMEOUT",
		"MODELCATALOGUE_READ_TIMEOUT":        "MODELCATALOGUE_READTIMEOUT",
		"MODELCATALOGUE_MAX_RETRIES":         "MODELCATALOGUE_RETRIES MODELCATALOGUE_MAX_RETRY",
		"MODELCATALOGUE_MAX_REQUESTS":        "MODELCATALOGUE_RATE_LIMIT MODELCATALOGUE_REQUESTS MODELCATALOGUE_MAXREQUESTS",
		"MODELCATALOGUE_SNAPSHOT":            "MODELCATALOGUE_SNAPSHOTS",
		"":                                   "MODELCATALOGUE_REGION MODELCATALOGUE_PROFILE",
		"the others, which are left alone: ": "MODELCATALOG_REGION MODELCATALOGUE_ MODELCATALOGUE PATH TF_VAR_modelcatalogue_token",
	} {
		for name := range strings.FieldsSeq(names) {
			found := environmentOf([]string{name + "=hunter2"}).unread()
			if left := strings.HasPrefix(right, "the others"); left != (len(found) == 0) || !left && found[0].right != right {
				t.Errorf("%s: %+v, want %q", name, found, right)
			}
		}
	}
	known := environment{
		"MODELCATALOGUE_CLIENTID":    "",
		"MODELCATALOGUE_SANDBOX_URL": "a",
		"MODELCATALOGUE_TEST_URL":    "a",
		"modelcatalogue_test_url":    "a",
	}
	for _, argument := range providerArguments {
		known[variable(argument)], known[fileVariable(argument)] = "a", "a"
	}
	if found := known.unread(); len(found) != 0 || len(slices.Collect(maps.Keys(known))) < 15 {
		t.Errorf("%+v", found)
	}
}
