locals {
  image = provider::modelcatalogue::parse_image("registry.example:5000/forecasting/price:1.0.3")
}

# {
#   registry      = "registry.example:5000"
#   repository    = "forecasting/price"
#   tag           = "1.0.3"
#   digest        = null
#   familiar_name = "registry.example:5000/forecasting/price"
# }
output "image" {
  value = local.image
}

# The same image under another registry, such as a mirror: its tag, its digest or both.
output "mirrored" {
  value = join("", [
    "mirror.example/${local.image.repository}",
    local.image.tag == null ? "" : ":${local.image.tag}",
    local.image.digest == null ? "" : "@${local.image.digest}",
  ])
}
