data "modelcatalogue_model_group_models" "price" {
  model_group_id = data.modelcatalogue_latest_model.price.model_group_id
  attributes     = ["revision", "docker_image", "notes", "tags", "run_mode", "output_file_format", "model_metadata"]
}

locals {
  newest = data.modelcatalogue_model_group_models.price.models
  # The differences between the newest two, empty if there is only one.
  moved = try({
    for name, new in local.newest[0] : name => { old = local.newest[1][name], new = new }
    if jsonencode(new) != jsonencode(local.newest[1][name])
  }, {})
}

output "moved" {
  value = local.moved
}

check "format_has_not_moved" {
  assert {
    condition     = !contains(keys(local.moved), "output_file_format")
    error_message = "Revision ${local.newest[0].revision} moved: ${jsonencode(local.moved)}."
  }
}
