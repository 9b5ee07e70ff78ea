variable "partner_client_id" {
  description = "The partner's client id for the model catalogue."
  type        = string
}

variable "partner_client_secret" {
  description = "The partner's client secret for the model catalogue."
  type        = string
  sensitive   = true
}

terraform {
  required_version = ">= 1.3"

  required_providers {
    modelcatalogue = {
      source  = "modelcatalogue/modelcatalogue"
      version = "~> 0.1"
    }
  }
}

provider "modelcatalogue" {}

provider "modelcatalogue" {
  alias         = "partner"
  client_id     = var.partner_client_id
  client_secret = var.partner_client_secret
}

data "modelcatalogue_model_groups" "ours" {}

data "modelcatalogue_model_groups" "theirs" {
  provider = modelcatalogue.partner
}

output "only_theirs" {
  value = setsubtract(
    data.modelcatalogue_model_groups.theirs.model_groups[*].id,
    data.modelcatalogue_model_groups.ours.model_groups[*].id,
  )
}
