terraform {
  required_version = ">= 1.3"

  required_providers {
    modelcatalogue = {
      source  = "modelcatalogue/modelcatalogue"
      version = "~> 0.1"
    }
  }
}

module "catalogue" {
  source = "./catalogue"
}

output "latest_revisions" {
  value = { for group in module.catalogue.model_groups : group.id => group.latest_revision }
}
