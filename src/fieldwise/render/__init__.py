"""Views in every medium: terminal, plain text, Markdown, JUnit, notebooks; and pages that need nothing else."""
