# Pins the container image of one revision of a model, and follows the latest
# revision of the same group beside it.

terraform {
  required_providers {
    modelcatalogue = {
      source  = "modelcatalogue/modelcatalogue"
      version = "~> 0.1"
    }
  }
}

# The address and the credentials come from the environment:
# MODELCATALOGUE_BASE_URL, MODELCATALOGUE_CLIENT_ID, MODELCATALOGUE_CLIENT_SECRET.
provider "modelcatalogue" {}

variable "model_group_id" {
  description = "The model group to deploy from."
  type        = string
  default     = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"
}

variable "revision" {
  description = "The revision that is deployed."
  type        = number
  default     = 1
}

data "modelcatalogue_model" "pinned" {
  model_group_id = var.model_group_id
  revision       = var.revision

  lifecycle {
    postcondition {
      condition     = self.docker_image != null
      error_message = "The image of revision ${self.revision} is withheld: these credentials are not of the organisation that owns the model."
    }
  }
}

data "modelcatalogue_latest_model" "latest" {
  model_group_id = var.model_group_id
}

output "pinned" {
  description = "The revision to deploy, with its container image."
  value = {
    revision     = data.modelcatalogue_model.pinned.revision
    docker_image = data.modelcatalogue_model.pinned.docker_image
    is_latest    = data.modelcatalogue_model.pinned.is_latest
  }
}

output "latest" {
  description = "The newest revision of the group, with its container image."
  value = {
    revision     = data.modelcatalogue_latest_model.latest.revision
    docker_image = data.modelcatalogue_latest_model.latest.docker_image
  }
}
