variable "access_client_id" {
  description = "The id of the service token, such as 1f0c….access."
  type        = string
}

variable "access_client_secret" {
  description = "The secret of the service token."
  type        = string
  sensitive   = true
}

provider "modelcatalogue" {
  headers = {
    "CF-Access-Client-Id"     = var.access_client_id
    "CF-Access-Client-Secret" = var.access_client_secret
  }
}
