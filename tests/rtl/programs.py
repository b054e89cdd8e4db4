"""Calls programs that must succeed."""

import subprocess

from hydranoc.lockstep.tools import tool_environment


def call(tool, arguments, folder):
    """Output of a program run in a folder."""
    command = [*tool.command, *arguments]
    answer = subprocess.run(
        command, cwd=folder, env=tool_environment(tool), capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return answer.stdout + answer.stderr
