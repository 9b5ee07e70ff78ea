# OpenTofu hands the providers of a test to every module in it.
terraform {
  required_version = ">= 1.4"

  required_providers {
    modelcatalogue = {
      source  = "modelcatalogue/modelcatalogue"
      version = "~> 0.1"
    }
  }
}

variable "model_group_id" {
  description = "The model group to publish a revision into."
  type        = string
}

variable "fields" {
  description = "The fields of the model that differ from the newest revision, as the service names them."
  type        = any
}

resource "terraform_data" "published" {
  provisioner "local-exec" {
    command = "curl -sS --fail-with-body -d \"$FIELDS\" \"$MODELCATALOGUE_BASE_URL/control/model-groups/$GROUP/publish\""
    environment = {
      GROUP  = var.model_group_id
      FIELDS = jsonencode(var.fields)
    }
  }
}
