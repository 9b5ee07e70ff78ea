data "modelcatalogue_model" "price" {
  model_group_id = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"
  revision       = 3

  lifecycle {
    postcondition {
      condition     = self.docker_image != null
      error_message = "The image of revision ${self.revision} is withheld from these credentials."
    }
    postcondition {
      condition     = try(provider::modelcatalogue::parse_image(self.docker_image).digest, null) != null
      error_message = "The image of revision ${self.revision} has no digest, so its tag may be moved to other content."
    }
  }
}

output "image" {
  value = data.modelcatalogue_model.price.docker_image
}
