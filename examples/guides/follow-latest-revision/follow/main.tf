terraform {
  required_version = ">= 1.4"

  required_providers {
    modelcatalogue = {
      source  = "modelcatalogue/modelcatalogue"
      version = "~> 0.1"
    }
  }
}

provider "modelcatalogue" {}

data "modelcatalogue_latest_model" "price" {
  model_group_id = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"

  lifecycle {
    postcondition {
      condition     = self.docker_image != null
      error_message = "The image of revision ${self.revision} is withheld from these credentials."
    }
    postcondition {
      condition     = self.enabled && !self.archived
      error_message = "Revision ${self.revision} is the latest, and it is ${self.archived ? "archived" : "disabled"}."
    }
  }
}

# In place of your deployment, such as a Kubernetes deployment or a task definition.
resource "terraform_data" "deployment" {
  input = data.modelcatalogue_latest_model.price.docker_image
}

output "revision" {
  value = data.modelcatalogue_latest_model.price.revision
}
