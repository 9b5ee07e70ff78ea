variable "gateway_key" {
  description = "The key of the consumer at the gateway."
  type        = string
  sensitive   = true
}

provider "modelcatalogue" {
  headers = {
    apikey = var.gateway_key
  }
}
