output "pins" {
  description = "What staging has applied."
  value       = var.pins
}
