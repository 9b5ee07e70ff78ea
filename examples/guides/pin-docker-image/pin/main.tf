terraform {
  required_providers {
    modelcatalogue = {
      source  = "modelcatalogue/modelcatalogue"
      version = "~> 0.1"
    }
  }
}

provider "modelcatalogue" {}

variable "revision" {
  description = "The revision that is deployed."
  type        = number
  default     = 1
}

data "modelcatalogue_model" "price" {
  model_group_id = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"
  revision       = var.revision

  lifecycle {
    postcondition {
      condition     = self.docker_image != null
      error_message = "The image of revision ${self.revision} is withheld: these credentials are not of the organisation that owns the model."
    }
  }
}

output "image" {
  description = "The container image to deploy."
  value       = data.modelcatalogue_model.price.docker_image
}
