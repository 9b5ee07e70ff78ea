terraform {
  required_providers {
    modelcatalogue = {
      source  = "modelcatalogue/modelcatalogue"
      version = "~> 0.1"
    }
  }
}

provider "modelcatalogue" {}

data "modelcatalogue_model" "price" {
  model_group_id = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"
  revision       = 1

  lifecycle {
    postcondition {
      condition     = self.docker_image != null
      error_message = "The image of revision ${self.revision} is withheld from these credentials."
    }
  }
}

# Keeps the image that the revision had when it was first applied. Another
# revision replaces it.
resource "terraform_data" "image" {
  input            = data.modelcatalogue_model.price.docker_image
  triggers_replace = [data.modelcatalogue_model.price.model_group_id, data.modelcatalogue_model.price.revision]

  lifecycle {
    ignore_changes = [input]
  }
}

output "image" {
  description = "The container image to deploy."
  value       = terraform_data.image.output
}
