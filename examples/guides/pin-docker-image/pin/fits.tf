data "modelcatalogue_latest_model" "price" {
  model_group_id = data.modelcatalogue_model.price.model_group_id
}

locals {
  pinned = data.modelcatalogue_model.price
  latest = data.modelcatalogue_latest_model.price
  misfits = concat(
    [
      for variable in local.pinned.output_variables : "the output variable ${variable.key} (${variable.type}) is gone"
      if !contains([for other in local.latest.output_variables : "${other.key} ${other.type}"], "${variable.key} ${variable.type}")
    ],
    [
      for key in try(local.latest.inputs[*].key, []) : "the input ${key} is new"
      if !contains(try(local.pinned.inputs[*].key, []), key)
    ],
    flatten([
      for axis in local.pinned.axes : [
        for value in axis.values : "the axis ${axis.key} has no ${value}"
        if !contains(flatten([for other in local.latest.axes : other.values if other.key == axis.key]), value)
      ]
    ])
  )
}

check "latest_still_fits" {
  assert {
    condition     = length(local.misfits) == 0
    error_message = "Revision ${local.latest.revision} does not fit in place of ${local.pinned.revision}: ${join("; ", local.misfits)}."
  }
}
