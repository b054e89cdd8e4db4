"""Lock-step without cocotb: a program around the harness that sets ports and compares whole chunks of rows."""
