# (specimens of parts only provide their ports)
"""The ends of a network in a lock-step harness: an injector with its payload generator, an ejector with its reader.

Each is one part whose outputs are all registers. A simulator can therefore compile them once and call them once per
cycle, as it does with routers (``hydranoc.lockstep.blocks``).
"""

from amaranth.lib.wiring import In, Out

from rtl.generator.structure import ModuleInstance, SharedModule, StructuralPart, Structure, connect_link
from rtl.parts.ejector import MessageEjector
from rtl.parts.flit import link_signature, stream_of
from rtl.parts.host_pattern import PATTERN_INPUTS, PausingSource, StallingReceiver
from rtl.parts.injector import MessageInjector, descriptor_layout
from topology.common.flits import HeaderFormat
from topology.common.pattern import SEED_BITS

SENDING, RECEIVING = HOST_MODULES = ("sending_host", "receiving_host")
"""Names of the two modules."""


class SendingHost(StructuralPart):
    """A message injector, and the generator of its messages' payloads.

    Parameters
    ----------
    header : HeaderFormat
    most_flits : int or None
        As for ``MessageInjector``.

    Members
    -------
    message, link, error
        As of ``MessageInjector``.
    start, payload_seed, seed, salt, level
        As of ``PausingSource``.
    """

    def __init__(self, header: HeaderFormat, most_flits: int | None = None):
        self.header = header
        self.most_flits = most_flits
        super().__init__(
            SENDING,
            {
                "message": In(stream_of(descriptor_layout(header))),
                "start": In(1),
                "payload_seed": In(SEED_BITS),
                **PATTERN_INPUTS,
                "link": Out(link_signature(header.flit_bits)),
                "error": Out(1),
            },
        )

    def structure(self):
        structure = Structure(self)
        injector = structure.instance("injector", SharedModule(lambda: MessageInjector(self.header, self.most_flits)))
        pattern = structure.instance("pattern", SharedModule(lambda: PausingSource(self.header.flit_bits)))
        connect_link(pattern, "words", injector, "payload")
        _connect_inputs(structure, pattern, ("start", "payload_seed", *PATTERN_INPUTS))
        _connect_inputs(structure, injector, ("message__valid", "message__payload", "link__ready"))
        for name in ("message__ready", "link__valid", "link__payload", "error"):
            structure.outputs[name] = injector.output(name)
        return structure


class ReceivingHost(StructuralPart):
    """A message ejector, and the reader of what it delivers.

    Parameters
    ----------
    flit_bits : int
        Data bits of a flit.

    Members
    -------
    link
        As of ``MessageEjector``.
    seed, salt, level, blocked
        As of ``StallingReceiver``.
    """

    def __init__(self, flit_bits: int):
        self.flit_bits = flit_bits
        super().__init__(RECEIVING, {"link": In(link_signature(flit_bits)), **PATTERN_INPUTS, "blocked": In(1)})

    def structure(self):
        structure = Structure(self)
        ejector = structure.instance("ejector", SharedModule(lambda: MessageEjector(self.flit_bits)))
        reader = structure.instance("reader", SharedModule(StallingReceiver))
        ejector.connect("user__ready", reader.output("ready"))
        _connect_inputs(structure, reader, (*PATTERN_INPUTS, "blocked"))
        _connect_inputs(structure, ejector, ("link__valid", "link__payload"))
        structure.outputs["link__ready"] = ejector.output("link__ready")
        return structure


def _connect_inputs(structure: Structure, instance: ModuleInstance, names: tuple[str, ...]) -> None:
    for name in names:
        instance.connect(name, structure.ports[name])
