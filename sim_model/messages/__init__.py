"""Messages: records, columns and schedules, below the engines."""
