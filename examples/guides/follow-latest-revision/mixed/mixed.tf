variable "model_groups" {
  description = "The revision to pin of each model group, by the group's id, or null to follow its latest."
  type        = map(number)
  default = {
    "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01" = null
    "270c0fa6-6a8c-4874-8f76-da0680bcda61" = 2
  }
}

data "modelcatalogue_latest_models" "followed" {
  model_group_ids = [for id, revision in var.model_groups : id if revision == null]
}

data "modelcatalogue_pinned_models" "pinned" {
  revisions = { for id, revision in var.model_groups : id => revision if revision != null }
}

locals {
  models = merge(data.modelcatalogue_latest_models.followed.models, data.modelcatalogue_pinned_models.pinned.models)
}

output "images" {
  value = { for id, model in local.models : id => model.docker_image }
}
