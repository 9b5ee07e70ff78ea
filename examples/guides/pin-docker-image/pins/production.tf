# The backend and its settings are those of staging.
data "terraform_remote_state" "staging" {
  backend = "local"
  config  = { path = "../staging/terraform.tfstate" }

  lifecycle {
    postcondition {
      condition = alltrue([
        for id, pin in var.pins :
        try(pin == self.outputs.pins[id] || pin.revision < self.outputs.pins[id].revision, false)
      ])
      error_message = "Production pins a model that staging has not applied. Staging has: ${jsonencode(self.outputs.pins)}."
    }
  }
}
