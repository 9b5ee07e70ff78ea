terraform {
  required_version = ">= 1.5"

  required_providers {
    modelcatalogue = {
      source  = "modelcatalogue/modelcatalogue"
      version = "~> 0.1"
    }
  }
}

# How long an outage may delay the plan.
provider "modelcatalogue" {
  read_timeout = "20s"
}

variable "pins" {
  description = "The revision to deploy of each model group, and its image, by the group's id."
  type        = map(object({ revision = number, image = string }))
  # Without a default: a missing file must stop the plan, not destroy what it deployed.
}

output "images" {
  description = "The container image to deploy of each model group."
  value       = { for id, pin in var.pins : id => pin.image }
}

check "catalogue_agrees" {
  data "modelcatalogue_pinned_models" "now" {
    revisions     = { for id, pin in var.pins : id => pin.revision }
    docker_images = { for id, pin in var.pins : id => pin.image }
    attributes    = ["display_name", "revision", "latest_revision", "is_latest"]
  }

  assert {
    condition = alltrue([for model in data.modelcatalogue_pinned_models.now.models : model.is_latest])
    error_message = join("\n", [
      for model in data.modelcatalogue_pinned_models.now.models :
      "${model.display_name}: revision ${model.revision} is deployed, and revision ${model.latest_revision} is published." if !model.is_latest
    ])
  }
}
