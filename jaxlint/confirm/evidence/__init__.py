"""What real JAX can show for a rule: one file for each kind of evidence.

A kind is named by its file. It says how the run of a fixture shows it and how the run of
the user's own program confirms or refutes a finding.
"""
