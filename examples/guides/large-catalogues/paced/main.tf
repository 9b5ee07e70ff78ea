terraform {
  required_providers {
    modelcatalogue = {
      source  = "modelcatalogue/modelcatalogue"
      version = "~> 0.1"
    }
  }
}

provider "modelcatalogue" {
  # Five workspaces that may run at once share an allowance of 50 a second.
  max_requests = "10/1s"
}

data "modelcatalogue_model_groups" "all" {}
