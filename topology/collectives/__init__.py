"""Facts of the collective plane that hardware and model share: tree, groups, words and operators."""
