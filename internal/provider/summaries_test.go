package provider

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// Short names for the tests of this package.
const (
	summaryAttribute            = explain.SummaryAttribute
	summaryForbidden            = explain.SummaryForbidden
	summaryGroupNotFound        = explain.SummaryGroupNotFound
	summaryGroupOrModels        = explain.SummaryGroupOrModels
	summaryIDsAndHorizon        = explain.SummaryIDsAndHorizon
	summaryImageDiffers         = explain.SummaryImageDiffers
	summaryImageWithheld        = explain.SummaryImageWithheld
	summaryInterrupted          = explain.SummaryInterrupted
	summaryInvalidHorizon       = explain.SummaryInvalidHorizon
	summaryInvalidID            = explain.SummaryInvalidID
	summaryInvalidImage         = explain.SummaryInvalidImage
	summaryInvalidProxy         = explain.SummaryInvalidProxy
	summaryInvalidRequest       = explain.SummaryInvalidRequest
	summaryInvalidRevision      = explain.SummaryInvalidRevision
	summaryInvalidTag           = explain.SummaryInvalidTag
	summaryLeftOut              = explain.SummaryLeftOut
	summaryNoCondition          = explain.SummaryNoCondition
	summaryNoneSatisfies        = explain.SummaryNoneSatisfies
	summaryNotAnswered          = explain.SummaryNotAnswered
	summaryOrganisationDisabled = explain.SummaryOrganisationDisabled
	summaryRateLimited          = explain.SummaryRateLimited
	summaryRedirect             = explain.SummaryRedirect
	summaryRejected             = explain.SummaryRejected
	summaryRevisionNotFound     = explain.SummaryRevisionNotFound
	summarySeveralModels        = explain.SummarySeveralModels
	summaryTimeout              = explain.SummaryTimeout
	summaryTokenRejected        = explain.SummaryTokenRejected
	summaryTooLarge             = explain.SummaryTooLarge
	summaryUnavailable          = explain.SummaryUnavailable
	summaryUnexpected           = explain.SummaryUnexpected
	summaryUnreachable          = explain.SummaryUnreachable
	summaryUntrusted            = explain.SummaryUntrusted
	summaryWithdrawn            = explain.SummaryWithdrawn
)

// summaries are all that a user can meet: the constants of package explain, and those
// of the provider's arguments.
var summaries = func() []string {
	found := []string{
		explain.SummaryMissing(argBaseURL), explain.SummaryMissing(argClientID), explain.SummaryMissing(argClientSecret),
	}
	for _, argument := range providerArguments {
		found = append(found, explain.SummaryInvalid(argument))
	}
	file, err := parser.ParseFile(token.NewFileSet(), "../explain/summaries.go", nil, 0)
	if err != nil {
		panic(err)
	}
	for _, declaration := range file.Decls {
		constants, ok := declaration.(*ast.GenDecl)
		if !ok || constants.Tok != token.CONST {
			continue
		}
		for _, spec := range constants.Specs {
			literal, _ := spec.(*ast.ValueSpec).Values[0].(*ast.BasicLit)
			text, err := strconv.Unquote(literal.Value)
			if err != nil {
				panic(err)
			}
			found = append(found, text)
		}
	}
	return found
}()
