# The backend and its settings are those of staging.
data "terraform_remote_state" "staging" {
  backend = "local"
  config  = { path = "../staging/terraform.tfstate" }
}

locals {
  staged = data.terraform_remote_state.staging.outputs.pins
  ahead = [
    for id, pin in var.pins :
    "${id} is pinned to revision ${pin.revision}, ${pin.image}; staging has ${try("revision ${local.staged[id].revision}, ${local.staged[id].image}", "none")}."
    if !try(pin == local.staged[id] || pin.revision < local.staged[id].revision, false)
  ]
}

output "promoted" {
  value = keys(var.pins)

  precondition {
    condition     = length(local.ahead) == 0
    error_message = join("\n", concat(["Staging has not applied what production pins."], local.ahead))
  }
}
