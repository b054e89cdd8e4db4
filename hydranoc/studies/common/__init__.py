"""What studies of several families need: figures, points, replications, runs to the end."""
