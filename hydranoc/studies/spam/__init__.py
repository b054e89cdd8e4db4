"""Figures of the SPAM paper."""
