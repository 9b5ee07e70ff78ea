terraform {
  required_version = ">= 1.3"

  required_providers {
    modelcatalogue = {
      source  = "modelcatalogue/modelcatalogue"
      version = "~> 0.1"
    }
  }
}

# The address and the credentials come from the environment:
# MODELCATALOGUE_BASE_URL, MODELCATALOGUE_CLIENT_ID, MODELCATALOGUE_CLIENT_SECRET.
provider "modelcatalogue" {}
