"""Lock-step comparison by rows: all inputs and observed bits of a top in every cycle, from recordings of a model."""
