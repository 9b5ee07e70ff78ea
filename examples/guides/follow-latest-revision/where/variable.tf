variable "where" {
  type = object({
    enabled = optional(bool)
    tags    = optional(list(string))
    min_age = optional(string)
  })
  default = {}
}

data "modelcatalogue_latest_model" "chosen" {
  model_group_id = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"

  where {
    enabled = var.where.enabled
    tags    = var.where.tags
    min_age = var.where.min_age
  }
}

output "chosen" {
  value = data.modelcatalogue_latest_model.chosen.revision
}
