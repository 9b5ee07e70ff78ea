package catalogue_test

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
)

// spellingsOf are the ways in which a service, a proxy or a library may repeat a credential.
func spellingsOf(credential string) []string {
	inJSON, err := json.Marshal(credential)
	if err != nil {
		panic(err)
	}
	spellings := []string{
		credential, url.QueryEscape(credential), url.PathEscape(credential), strings.ToLower(url.QueryEscape(credential)),
		string(inJSON[1 : len(inJSON)-1]), strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(credential),
		"northwind:" + credential, url.Values{"x": {credential}}.Encode(),
	}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		spellings = append(spellings, encoding.EncodeToString([]byte(credential)), encoding.EncodeToString([]byte("northwind:"+credential)),
			encoding.EncodeToString([]byte("Bearer "+credential)), encoding.EncodeToString([]byte(`{"a":"`+credential+`"}`)))
	}
	return spellings
}
