data "modelcatalogue_model_groups" "all" {}

locals {
  groups = { for group in data.modelcatalogue_model_groups.all.model_groups : group.id => group }
}

output "latest_revisions" {
  value = { for id, group in local.groups : id => group.latest_revision }
}
