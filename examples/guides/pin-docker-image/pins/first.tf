data "modelcatalogue_latest_models" "all" {
  attributes = ["display_name", "revision", "docker_image"]
}

locals {
  first_pins = [
    for id, model in data.modelcatalogue_latest_models.all.models : join("\n    ", [
      "  # ${coalesce(model.display_name, id)}\n  ${jsonencode(id)} = {",
      "revision = ${model.revision}",
      "image    = ${jsonencode(model.docker_image)}\n  }",
    ]) if model.docker_image != null
  ]
}

output "first_pins" {
  value = join("\n", concat(["pins = {"], local.first_pins, ["}"]))
}
