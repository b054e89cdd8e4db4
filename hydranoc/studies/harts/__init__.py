"""Tables and figures of the HARTS paper."""
