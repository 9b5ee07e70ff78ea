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

data "modelcatalogue_latest_models" "day_ahead" {
  time_horizon = "day_ahead"
  attributes   = ["revision", "docker_image"]
}

# In place of your deployment: one for each group whose image these credentials
# may see.
resource "terraform_data" "deployment" {
  for_each = {
    for id, model in data.modelcatalogue_latest_models.day_ahead.models :
    id => model.docker_image if model.docker_image != null
  }

  input = each.value
}

output "revisions" {
  value = { for id, model in data.modelcatalogue_latest_models.day_ahead.models : id => model.revision }
}
