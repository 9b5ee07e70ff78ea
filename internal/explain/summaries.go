package explain

// The summaries of all diagnostics. They stay the same from release to release, because users search for them.
const (
	SummaryUnknownArgument = "Provider argument not known yet"
	SummaryNotConfigured   = "Provider not configured"
	SummaryBothCredentials = "Both access_token and client credentials given"
	SummaryInvalidProxy    = "Invalid HTTPS_PROXY"
	SummaryUnreadVariable  = "Environment variable not read"
	SummaryOtherAddress    = "Credentials of a different base_url"

	SummaryCertificateLeftOut = "Certificate left out"
	SummaryNotValidNow        = "Client certificate not valid now"

	SummaryInvalidID       = "Invalid model group id"
	SummaryInvalidName     = "Invalid model group name"
	SummaryInvalidRevision = "Invalid revision"
	SummaryInvalidHorizon  = "Invalid time horizon"
	SummaryIDAndName       = "Both id and name given"
	SummaryIDsAndHorizon   = "Both model_group_ids and time_horizon given"
	SummaryAttribute       = "Unknown attribute"
	SummaryNoIDNorName     = "Missing id or name"
	SummaryInvalidImage    = "Invalid docker image"
	SummaryInvalidTag      = "Invalid tag"
	SummaryInvalidRunMode  = "Invalid run mode"
	SummaryInvalidAge      = "Invalid age"

	SummaryGroupNotFound    = "Model group not found"
	SummaryGroupOrModels    = "Model group not found, or without models"
	SummarySeveralGroups    = "Several model groups of that name"
	SummaryRevisionNotFound = "Revision not found"
	SummarySeveralModels    = "Several models of that revision"
	SummaryLeftOut          = "Model group left out"
	SummaryContradiction    = "Answers contradict each other"
	SummaryNoModelRead      = "No model read"
	SummaryBehind           = "Model older than listed"
	SummaryNoneSatisfies    = "No model satisfies where"
	SummaryUndecided        = "Condition of where undecided"
	SummaryDelayed          = "Revision too young again"
	SummaryImageDiffers     = "Docker image differs"
	SummaryImageWithheld    = "Docker image withheld"
	SummaryWithdrawn        = "Revision withdrawn"
	SummaryMayBeWithdrawn   = "Revision may be withdrawn"

	SummaryRejected             = "Credentials rejected"
	SummaryTokenRejected        = "Access token rejected" //nolint:gosec // words, no credential
	SummaryNoToken              = "No usable token"
	SummaryOrganisationDisabled = "Organisation disabled"
	SummaryForbidden            = "Access forbidden"

	SummaryInvalidRequest = "Request rejected"
	SummaryNotAnswered    = "Request refused"
	SummaryRateLimited    = "Request allowance exceeded"

	SummaryUnavailable = "Catalogue service failed"
	SummaryUnreachable = "Catalogue service not reached"
	SummaryTimeout     = "Catalogue service too slow"
	SummaryUntrusted   = "Secure connection failed"
	SummaryRedirect    = "Unexpected redirect"
	SummaryUnexpected  = "Unexpected answer"
	SummaryTooLarge    = "Answer too large"
	SummaryHeldBack    = "Reads held back by the service"
	SummaryInterrupted = "Read interrupted"
	SummaryNotRead     = "Catalogue not read"
	SummaryNotEncoded  = "Result not encoded"
)

// SummaryInvalid returns the summary for an unusable argument of the provider.
func SummaryInvalid(argument string) string { return "Invalid " + argument }

// SummaryMissing returns the summary for a missing argument of the provider.
func SummaryMissing(argument string) string { return "Missing " + argument }
