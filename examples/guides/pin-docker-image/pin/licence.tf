# A field that this version does not know, and a value in case the service does
# not send it.
output "licence" {
  value = try(jsondecode(data.modelcatalogue_model.price.other_fields).licence, "unknown")
}
