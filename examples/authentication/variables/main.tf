variable "catalogue_url" {
  description = "The address of the model catalogue."
  type        = string
}

variable "catalogue_client_id" {
  description = "The client id for the model catalogue."
  type        = string
}

variable "catalogue_client_secret" {
  description = "The client secret for the model catalogue."
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

provider "modelcatalogue" {
  base_url      = var.catalogue_url
  client_id     = var.catalogue_client_id
  client_secret = var.catalogue_client_secret
}

data "modelcatalogue_model_groups" "all" {}

output "groups" {
  value = data.modelcatalogue_model_groups.all.model_groups[*].name
}
