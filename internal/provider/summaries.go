package provider

// The summaries of all diagnostics. They stay the same from release to release,
// because users search for them.
const (
	summaryUnknownArgument = "Provider argument not known yet"
	summaryNotConfigured   = "Provider not configured"
	summaryBothCredentials = "Both access_token and client credentials given"
	summaryInvalidProxy    = "Invalid HTTPS_PROXY"

	summaryInvalidID       = "Invalid model group id"
	summaryInvalidName     = "Invalid model group name"
	summaryInvalidRevision = "Invalid revision"
	summaryInvalidHorizon  = "Invalid time horizon"
	summaryIDAndName       = "Both id and name given"
	summaryIDsAndHorizon   = "Both model_group_ids and time_horizon given"
	summaryAttribute       = "Unknown attribute"
	summaryNoIDNorName     = "Missing id or name"
	summaryInvalidImage    = "Invalid docker image"
	summaryInvalidTag      = "Invalid tag"
	summaryNoCondition     = "No condition in where"

	summaryGroupNotFound    = "Model group not found"
	summaryGroupOrModels    = "Model group not found, or without models"
	summarySeveralGroups    = "Several model groups of that name"
	summaryRevisionNotFound = "Revision not found"
	summarySeveralModels    = "Several models of that revision"
	summaryLeftOut          = "Model group left out"
	summaryNoneSatisfies    = "No model satisfies where"
	summaryImageDiffers     = "Docker image differs"
	summaryImageWithheld    = "Docker image withheld"
	summaryWithdrawn        = "Pinned revision withdrawn"

	summaryRejected             = "Credentials rejected"
	summaryTokenRejected        = "Access token rejected" //nolint:gosec // words, no credential
	summaryNoToken              = "No usable token"
	summaryOrganisationDisabled = "Organisation disabled"
	summaryForbidden            = "Access forbidden"

	summaryInvalidRequest = "Request rejected"
	summaryNotAnswered    = "Request refused"
	summaryRateLimited    = "Request allowance exceeded"

	summaryUnavailable = "Catalogue service failed"
	summaryUnreachable = "Catalogue service not reached"
	summaryTimeout     = "Catalogue service too slow"
	summaryUntrusted   = "Secure connection failed"
	summaryRedirect    = "Unexpected redirect"
	summaryUnexpected  = "Unexpected answer"
	summaryTooLarge    = "Answer too large"
	summaryInterrupted = "Read interrupted"
	summaryNotRead     = "Catalogue not read"
	summaryNotEncoded  = "Result not encoded"
)

// summaries are those above and those of the provider's arguments. The page
// about errors explains each.
var summaries = []string{
	summaryUnknownArgument, summaryNotConfigured, summaryBothCredentials, summaryInvalidProxy,
	summaryInvalidID, summaryInvalidName, summaryInvalidRevision, summaryInvalidHorizon,
	summaryIDAndName, summaryNoIDNorName, summaryIDsAndHorizon, summaryAttribute,
	summaryInvalidImage, summaryInvalidTag, summaryNoCondition, summaryNoneSatisfies,
	summaryImageDiffers, summaryImageWithheld, summaryWithdrawn,
	summaryGroupNotFound, summaryGroupOrModels, summarySeveralGroups, summaryLeftOut,
	summaryRevisionNotFound, summarySeveralModels,
	summaryRejected, summaryTokenRejected, summaryNoToken, summaryOrganisationDisabled, summaryForbidden,
	summaryInvalidRequest, summaryNotAnswered, summaryRateLimited,
	summaryUnavailable, summaryUnreachable, summaryTimeout, summaryUntrusted, summaryRedirect, summaryUnexpected,
	summaryTooLarge, summaryInterrupted, summaryNotRead, summaryNotEncoded,
	summaryMissing(argBaseURL), summaryMissing(argClientID), summaryMissing(argClientSecret),
	summaryInvalid(argBaseURL), summaryInvalid(argClientID), summaryInvalid(argClientSecret),
	summaryInvalid(argAccessToken), summaryInvalid(argCACertificate),
	summaryInvalid(argRequestTimeout), summaryInvalid(argReadTimeout),
	summaryInvalid(argMaxRetries), summaryInvalid(argMaxRequests), summaryInvalid(argSnapshot),
}

// briefs say what failed where another error tells it in full: at most 36
// characters for each summary of a cause that many reads can share, so that a
// pointer takes two lines.
var briefs = map[string]string{ //nolint:gosec // words, no credential
	summaryTokenRejected:        "The service refused the token.",
	summaryRejected:             "The service gave no token.",
	summaryNoToken:              "The service gave no usable token.",
	summaryOrganisationDisabled: "The organisation is disabled.",
	summaryRateLimited:          "The request allowance is used up.",
	summaryUnavailable:          "The service failed.",
	summaryUnreachable:          "No complete answer came.",
	summaryTimeout:              "No complete answer came in time.",
	summaryUntrusted:            "No secure connection was possible.",
	summaryRedirect:             "The service sent a redirect.",
}

// summaryInvalid is the summary where an argument of the provider cannot be used.
func summaryInvalid(argument string) string { return "Invalid " + argument }

// summaryMissing is the summary where the provider needs an argument.
func summaryMissing(argument string) string { return "Missing " + argument }
