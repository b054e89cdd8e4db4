"""Calls programs that must end well."""

import subprocess

from hydranoc.lockstep.tools import tool_environment


def call(tool, arguments, folder):
    """What a program prints when it is run in a folder."""
    command = [*tool.command, *arguments]
    answer = subprocess.run(
        command, cwd=folder, env=tool_environment(tool), capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return answer.stdout + answer.stderr
