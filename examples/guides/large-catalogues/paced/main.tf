terraform {
  required_providers {
    modelcatalogue = {
      source  = "modelcatalogue/modelcatalogue"
      version = "~> 0.1"
    }
  }
}

provider "modelcatalogue" {
  # Ten workspaces that may run at once share an allowance of 50 a second.
  max_requests_per_second = 5
}

data "modelcatalogue_model_groups" "all" {}
