"""The verbs of the command, one file each."""

from hydranoc.verbs.bench import bench
from hydranoc.verbs.cache import cache
from hydranoc.verbs.check import check
from hydranoc.verbs.compare import compare
from hydranoc.verbs.draw import draw
from hydranoc.verbs.env import env
from hydranoc.verbs.examples import examples
from hydranoc.verbs.fpga import fpga
from hydranoc.verbs.init import init
from hydranoc.verbs.model import model
from hydranoc.verbs.report import report
from hydranoc.verbs.reproduce import reproduce
from hydranoc.verbs.schema import schema
from hydranoc.verbs.sweep import sweep
from hydranoc.verbs.tool import tool
from hydranoc.verbs.verilog import verilog

VERBS = (
    init,
    examples,
    check,
    draw,
    verilog,
    bench,
    model,
    compare,
    report,
    sweep,
    fpga,
    reproduce,
    schema,
    tool,
    env,
    cache,
)
