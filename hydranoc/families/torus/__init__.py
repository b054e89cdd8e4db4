"""Tori and meshes with lanes: from their configuration to tables, model, hardware and pictures."""
