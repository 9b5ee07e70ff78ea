variable "subscription_key" {
  description = "A key of the subscription that includes the service."
  type        = string
  sensitive   = true
}

provider "modelcatalogue" {
  headers = {
    "Ocp-Apim-Subscription-Key" = var.subscription_key
  }
}
