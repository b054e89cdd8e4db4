"""Proofs of the hardware parts with SymbiYosys and z3; see docs/understand/proofs.md."""
