"""The campaign: random configurations of all families, hardware against golden model in every cycle, with a ledger."""
