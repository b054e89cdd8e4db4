"""Readable state of a SPAM router, and the relation of waiting channels."""

from functools import partial

from sim_model.engines.cycle.state import EngineState
from sim_model.engines.inspect import ports_in, registered_flit
from sim_model.engines.model import Wait
from sim_model.routed.routed_describe import ShownFields, describe_routed, input_waits
from sim_model.spam.state import SpamState
from topology.common.graph import Network
from topology.spam.graph import CLASS_NAMES


def describe_router(network: Network, state: EngineState, spam: SpamState, switch: int) -> str:
    """Return buffers, header state, requests, age order, and output registers and owners of one router as text."""
    about = f"age order {_age_order(network, spam, switch)}"
    outputs = ("request",)
    if not spam.atomic:
        about += f", enqueuer turn {int(spam.routers[switch].enqueue_turn)}"
        outputs += ("pending",)
    shown = ShownFields(CLASS_NAMES, outputs, ("queued", "active"))
    return describe_routed(network, state, spam, switch, about, shown, partial(_owner, network, spam))


def _owner(network: Network, spam: SpamState, switch: int, output: int) -> int | None:
    for port in ports_in(spam.routers.active[switch]):
        if int(spam.inputs.request[network.input_channel[switch][port]]) >> output & 1:
            return port
    return None


def _age_order(network: Network, spam: SpamState, switch: int) -> str:
    """Return the queued inputs as text, oldest first; one order per output if enqueues are split."""
    waiting = ports_in(spam.routers.queued[switch])
    if spam.atomic:
        return _sorted_by_age(network, spam, switch, waiting, 0)
    orders = []
    for output in range(network.degree(switch)):
        standing = [port for port in waiting if _stands(network, spam, switch, port, output)]
        orders.append(f"{output}:{_sorted_by_age(network, spam, switch, standing, output)}")
    return " ".join(orders)


def _stands(network: Network, spam: SpamState, switch: int, port: int, output: int) -> bool:
    channel = network.input_channel[switch][port]
    return bool((int(spam.inputs.request[channel]) & ~int(spam.inputs.pending[channel])) >> output & 1)


def _sorted_by_age(network: Network, spam: SpamState, switch: int, inputs: list[int], queue: int) -> str:
    older = {port: int(spam.older[network.input_channel[switch][port], queue]) for port in inputs}
    return "[" + " ".join(map(str, sorted(inputs, key=lambda port: older[port].bit_count()))) + "]"


def find_waits(network: Network, state: EngineState, spam: SpamState) -> list[Wait]:
    """Return the waits of all input channels with flits or outputs, in a network where nothing moves."""

    def wait(switch: int, port: int, message: int) -> Wait:
        if int(spam.routers.active[switch]) >> port & 1:
            return _wait_for_registers(network, state, spam, network.input_channel[switch][port], message)
        return _wait_for_outputs(network, spam, switch, port, message)

    return list(input_waits(network, state, spam.routers.active, partial(_owner, network, spam), wait))


def _wait_for_registers(network: Network, state: EngineState, spam: SpamState, channel: int, message: int) -> Wait:
    """Return the wait of an owner with full output registers for the buffers behind them."""
    switch = network.channels[channel].sink
    outputs = [network.output_channel[switch][port] for port in ports_in(spam.inputs.request[channel])]
    stuck = tuple(output for output in outputs if registered_flit(network, state, output) is not None)
    names = ", ".join(network.channels[output].name for output in stuck)
    return Wait(channel, message, stuck, f"for room in the buffer behind {names}")


def _wait_for_outputs(network: Network, spam: SpamState, switch: int, port: int, message: int) -> Wait:
    """Return the wait of a header for inputs that own its outputs or are ahead in their queues."""
    channel = network.input_channel[switch][port]
    request = int(spam.inputs.request[channel])
    reasons, blockers = [], []
    for output in ports_in(request):
        name = network.channels[network.output_channel[switch][output]].name
        owner = _owner(network, spam, switch, output)
        if owner is not None:
            blockers.append(network.input_channel[switch][owner])
            reasons.append(f"{name} owned by {network.channels[blockers[-1]].name}")
        for other in _older_inputs(network, spam, switch, port, output):
            blockers.append(network.input_channel[switch][other])
            reasons.append(f"{name} queued for before by {network.channels[blockers[-1]].name}")
    return Wait(channel, message, tuple(blockers), "for " + ", ".join(reasons))


def _older_inputs(network: Network, spam: SpamState, switch: int, port: int, output: int) -> list[int]:
    channel = network.input_channel[switch][port]
    queue = min(output, spam.older.shape[1] - 1)
    older = ports_in(int(spam.older[channel, queue]) & int(spam.routers.queued[switch]))
    return [other for other in older if _stands(network, spam, switch, other, output)]
