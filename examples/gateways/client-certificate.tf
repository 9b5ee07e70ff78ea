variable "client_certificate_pem" {
  description = "The certificate, followed by those between it and its authority."
  type        = string
}

variable "client_key_pem" {
  description = "The private key of the certificate."
  type        = string
  sensitive   = true
}

provider "modelcatalogue" {
  client_certificate_pem = var.client_certificate_pem
  client_key_pem         = var.client_key_pem
}
