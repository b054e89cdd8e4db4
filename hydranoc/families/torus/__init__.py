"""Tori and meshes with virtual channels: from their configuration to tables, model, hardware and pictures."""
