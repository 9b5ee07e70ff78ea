variable "iap_token" {
  description = "An OpenID Connect token of a service account, for the client of the proxy."
  type        = string
  sensitive   = true
}

provider "modelcatalogue" {
  headers = {
    "Proxy-Authorization" = "Bearer ${var.iap_token}"
  }
}
