// Package catalogue is the client of the model catalogue service: four lookups
// behind an OAuth 2.0 client-credentials token.
//
// It knows nothing of Terraform. What it adds to HTTP is what makes a run of
// hundreds of lookups hold: one token for all of them, retries for what may
// pass, one pace for the whole process and one answer for one question.
package catalogue
