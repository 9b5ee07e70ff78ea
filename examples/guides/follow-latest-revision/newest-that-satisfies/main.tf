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

variable "tag" {
  description = "The tag that a revision must have."
  type        = string
  default     = "DE-LU"
}

data "modelcatalogue_model_group_models" "price" {
  model_group_id = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"
}

locals {
  # Newest first, as the data source lists them.
  candidates = [
    for model in data.modelcatalogue_model_group_models.price.models : model
    if model.enabled && !model.archived && contains(model.tags, var.tag) && model.output_file_format == "parquet"
  ]
}

output "deploy" {
  value = {
    revision = local.candidates[0].revision
    image    = local.candidates[0].docker_image
  }

  precondition {
    condition     = length(local.candidates) > 0
    error_message = "No revision is enabled, not archived, tagged ${var.tag} and delivered as parquet. Looked at: ${join(", ", data.modelcatalogue_model_group_models.price.models[*].revision)}."
  }
}
