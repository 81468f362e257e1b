"""Input that means harm: whatever comes, a command ends with a code and a sentence."""
