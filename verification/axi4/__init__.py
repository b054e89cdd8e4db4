"""Random transactions of AXI4 ends over eight networks, with a ledger."""
