# Pins the container image of one revision of a model, and follows the latest
# revision of the same group beside it.

terraform {
  required_version = ">= 1.3"

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

locals {
  model_group_id = "270c0fa6-6a8c-4874-8f76-da0680bcda61"
}

# The plan stops if the service has a different image, because a revision can be
# re-published in place. To move the pin, change both lines together.
data "modelcatalogue_model" "pinned" {
  model_group_id = local.model_group_id
  revision       = 1
  docker_image   = "registry.northwind.example/forecasting/north-sea-wind-week:2.0.0"
}

data "modelcatalogue_latest_model" "latest" {
  model_group_id = local.model_group_id
}

output "image" {
  description = "The container image to deploy."
  value       = data.modelcatalogue_model.pinned.docker_image
}

output "behind" {
  description = "How many revisions the pin is behind."
  value       = data.modelcatalogue_model.pinned.latest_revision - data.modelcatalogue_model.pinned.revision
}

output "latest" {
  description = "The newest revision of the group, with its image's own name and tag. Null if the image is withheld."
  value = {
    revision = data.modelcatalogue_latest_model.latest.revision
    image    = try(basename(data.modelcatalogue_latest_model.latest.docker_image), null)
  }
}
