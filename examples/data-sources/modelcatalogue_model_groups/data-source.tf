data "modelcatalogue_model_groups" "day_ahead" {
  time_horizon = "day_ahead"
}

# The id of each group by its name. Names need not be unique, so each has a list.
output "group_ids" {
  value = { for group in data.modelcatalogue_model_groups.day_ahead.model_groups : group.name => group.id... }
}
