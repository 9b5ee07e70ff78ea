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

variable "pins" {
  description = "The revision to deploy of each model group, and its image, by the group's id."
  type        = map(object({ revision = number, image = string }))
  # Without a default: a missing file must stop the plan, not destroy what it deployed.
}

data "modelcatalogue_pinned_models" "deployed" {
  revisions     = { for id, pin in var.pins : id => pin.revision }
  docker_images = { for id, pin in var.pins : id => pin.image }
  attributes    = ["display_name", "revision", "latest_revision", "is_latest", "docker_image"]
}

output "images" {
  description = "The container image to deploy of each model group."
  value       = { for id, model in data.modelcatalogue_pinned_models.deployed.models : id => model.docker_image }
}
