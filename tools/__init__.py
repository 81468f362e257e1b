"""Checks of what the project is made of: licences and known vulnerabilities of its dependencies."""
