# By name, which must be exact and name a single group.
data "modelcatalogue_model_group" "price" {
  name = "Day-ahead power price DE-LU"
}

# By id, which never changes.
data "modelcatalogue_model_group" "same" {
  id = data.modelcatalogue_model_group.price.id
}

# The values that a query may select on each axis today.
output "axes" {
  value = {
    for axis in data.modelcatalogue_model_group.same.axes :
    axis.key => [for v in axis.values : v.value if !v.historical]
  }
}
