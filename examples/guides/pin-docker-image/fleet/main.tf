terraform {
  required_providers {
    modelcatalogue = {
      source  = "modelcatalogue/modelcatalogue"
      version = "~> 0.1"
    }
  }
}

provider "modelcatalogue" {}

variable "revisions" {
  description = "The revision to deploy of each model group, by the group's id."
  type        = map(number)
  default     = {}
}

data "modelcatalogue_pinned_models" "deployed" {
  revisions  = var.revisions
  attributes = ["display_name", "revision", "latest_revision", "is_latest", "docker_image"]

  lifecycle {
    postcondition {
      condition     = alltrue([for model in self.models : model.docker_image != null])
      error_message = "The images of these groups are withheld from these credentials: ${join(", ", [for id, model in self.models : id if model.docker_image == null])}."
    }
  }
}

output "images" {
  description = "The container image to deploy of each model group."
  value       = { for id, model in data.modelcatalogue_pinned_models.deployed.models : id => model.docker_image }
}
