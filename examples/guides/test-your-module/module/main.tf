terraform {
  required_version = ">= 1.3"

  required_providers {
    modelcatalogue = {
      source  = "modelcatalogue/modelcatalogue"
      version = "~> 0.1"
    }
  }
}

variable "model_group_id" {
  description = "The model group to deploy from."
  type        = string
  default     = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"
}

variable "revision" {
  description = "The revision to deploy."
  type        = number
  default     = 1
}

data "modelcatalogue_model" "this" {
  model_group_id = var.model_group_id
  revision       = var.revision

  lifecycle {
    postcondition {
      condition     = self.docker_image != null
      error_message = "The image of revision ${self.revision} is withheld."
    }
  }
}

output "image" {
  value = data.modelcatalogue_model.this.docker_image
}
