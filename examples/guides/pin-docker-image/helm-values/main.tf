terraform {
  required_providers {
    modelcatalogue = {
      source  = "modelcatalogue/modelcatalogue"
      version = "~> 0.1"
    }
  }
}

provider "modelcatalogue" {}

data "modelcatalogue_model" "volume" {
  model_group_id = "300e8055-5890-451a-a300-e618befa8baf"
  revision       = 1
  docker_image   = "registry.northwind.example/forecasting/tennet-imbalance-volume:0.3.1-rc.2@sha256:50a04d3c554ef71e2a2610973618480a4fd29da566828de8f13df3570710e322"
}

locals {
  image = provider::modelcatalogue::parse_image(data.modelcatalogue_model.volume.docker_image)
}

# For `values` of a helm_release. Most charts take an image in parts.
output "values" {
  value = yamlencode({
    image = {
      registry   = local.image.registry
      repository = local.image.repository
      tag        = coalesce(local.image.tag, "latest")
      digest     = local.image.digest
    }
  })
}
