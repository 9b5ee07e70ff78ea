terraform {
  required_version = ">= 1.10"

  required_providers {
    modelcatalogue = {
      source  = "modelcatalogue/modelcatalogue"
      version = "~> 0.1"
    }
  }
}

# Ephemeral values are never in plan files or in the state.
variable "catalogue_client_secret" {
  description = "The client secret for the model catalogue."
  type        = string
  sensitive   = true
  ephemeral   = true
}

provider "modelcatalogue" {
  # The address and the client id come from the environment.
  client_secret = var.catalogue_client_secret
}

data "modelcatalogue_model_groups" "all" {}

output "groups" {
  value = data.modelcatalogue_model_groups.all.model_groups[*].name
}
