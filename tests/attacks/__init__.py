"""Attacks: input that means harm, kills, two writers, damaged parts; whatever comes, nothing is lost or silent."""
