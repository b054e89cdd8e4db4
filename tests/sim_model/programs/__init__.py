"""Tests of the readers of programs and traces."""
