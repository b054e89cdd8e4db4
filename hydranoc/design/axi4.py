"""AXI4 ends of a configured network: the two networks, the address map, and the hardware."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hydranoc.config.load import AXI4, NETWORK, Config
from hydranoc.config.source import GivenSource
from hydranoc.errors import ConfigError
from topology.axi4.address_map import AddressMap, Region, Window
from topology.axi4.words import LITE_DATA_BITS, MAX_BEATS, MIN_STORED_BEATS, Axi4Format

if TYPE_CHECKING:
    from hydranoc.design.design import Design
    from rtl.axi4.network import Axi4Plan
    from rtl.generator.network import GeneratedDesign

ALL, OTHERS = "all", "others"
PIPELINED = "pipelined"
FLIT_BITS = "flit_bits"
RESPONSES = (*AXI4, "responses")


class Axi4Ends:
    """The ``axi4`` section of a configuration, checked.

    Parameters:
        config: With the section.
        load: Configuration as a mapping -> the design of it.

    Members:
        format: Widths.
        areas: The address map.
        managers (tuple of int): Processors.
        requests, responses: Designs of the networks. A width of flits that is not given is the least that suffices.

    Raises:
        ConfigError: For the first error, with its line.
    """

    def __init__(self, config: Config, load: "Callable[[GivenSource], Design]"):
        assert config.axi4 is not None
        self.config = config
        section = self.section = config.axi4
        if section.store_writes and section.write_beats < MIN_STORED_BEATS:
            text = (
                f"axi4.write_beats is {section.write_beats}; it must be at least {MIN_STORED_BEATS} with store_writes"
            )
            raise config.source.error((*AXI4, "write_beats"), text)
        self._check_buffers()
        self._check_processors()
        processors = len(config.network.processors)
        for key in ("data_bits", "max_burst_flits"):
            value = getattr(section, key)
            if value & (value - 1):
                raise config.source.error((*AXI4, key), f"axi4.{key} is {value}; it must be a power of two")
        if section.multicast and section.multicast_mask:
            text = f"axi4.multicast_mask is {section.multicast_mask!r}; with axi4.multicast it must be absent"
            raise config.source.error((*AXI4, "multicast_mask"), text)
        self.format = Axi4Format(
            *(processors, section.address_bits, section.data_bits, section.id_bits, section.user_bits),
            outstanding=section.outstanding,
            windows=len(section.multicast),
            masks=section.multicast_mask is not None,
        )
        self.areas = self._address_map()
        if self.format.masks:
            self._check_masks()
        self.managers = self._managers()
        self._check_lite()
        source = config.source
        network = source.data["network"]
        self.requests = self._network(load, NETWORK, network, self.format.min_request_bits)
        if section.responses is None:
            own = ("collectives",) if self.requests.family.one_flit_headers else (FLIT_BITS, "collectives")
            given = {key: value for key, value in network.items() if key not in own}
            self.responses = self._network(load, NETWORK, given, self.format.min_response_bits)
        else:
            self.responses = self._network(load, RESPONSES, section.responses, self.format.min_response_bits)
        count = len(self.responses.config.network.processors)
        if count != processors:
            text = f"axi4.responses has {count} processors; it must have {processors}, those of network"
            raise source.error(RESPONSES, text)
        at = NETWORK if section.responses is None else RESPONSES
        self._check_length(NETWORK, self.requests, self.format.request_words(self._flit_bits(self.requests)))
        self._check_length(at, self.responses, 0 if self.header_word_bits else 1)
        if section.same_id == PIPELINED:
            self._check_order()
        multicasts = self.requests.family.multicasts(self.requests.config.network_section)
        if section.multicast and not multicasts and not section.store_writes:
            text = f"axi4.store_writes is false; with axi4.multicast it must be true in family {config.family.name!r}"
            raise source.error((*AXI4, "store_writes"), f"{text}, which has no multicast in hardware")

    def _check_buffers(self) -> None:
        flits = self.section.delivery_buffer_flits
        if not flits:
            return
        from rtl.endpoints.packet_buffer import MIN_BEATS  # loads Amaranth

        if flits < MIN_BEATS:
            text = f"axi4.delivery_buffer_flits is {flits}; it must be 0 or at least {MIN_BEATS}"
            raise self.config.source.error((*AXI4, "delivery_buffer_flits"), text)

    def _check_order(self) -> None:
        for name, design in self.networks.items():
            if not design.routing.keeps_pairs:
                text = f"axi4.same_id is {PIPELINED}; it must be serial: messages of the {name} may overtake each other"
                raise self.config.source.error((*AXI4, "same_id"), f"{text} (see docs/look_up/ordering.md)")

    def _network(self, load: "Callable[[GivenSource], Design]", path: Any, given: Any, least: int) -> "Design":
        """Return the design of one network, with flits of at least some bits."""
        source = self.config.source
        bits = given.get(FLIT_BITS, least)
        try:
            design = load(GivenSource({"network": {**given, FLIT_BITS: bits}}, source.files.folder, source.path.stem))
            _ = design.routing  # checks that a header has room in a flit
        except ConfigError as error:
            if FLIT_BITS in given or FLIT_BITS not in str(error):
                raise source.error(path, str(error)) from None
            text = f"{path[-1]}.{FLIT_BITS} is absent; it must be given, since the {bits} bits of a beat are too few"
            raise source.error(path, f"{text}: {error}") from None
        if bits < least:
            text = f"{path[-1]}.{FLIT_BITS} is {bits}; it must be at least {least}, the bits of a beat"
            raise source.error((*path, FLIT_BITS), text)
        return design

    @staticmethod
    def _flit_bits(design: "Design") -> int:
        return design.config.network_section.flit_bits

    def _check_length(self, path: Any, design: "Design", words: int) -> None:
        """Refuse a network whose longest message is too short for a burst behind some words of fields."""
        longest = design.family.longest_message(design.config.network_section)
        beats = self.section.max_burst_flits
        least = design.routing.header_flits((0,)) + words + beats
        if longest < least:
            key = design.family.longest_message_key
            text = f"{path[-1]}.{key} is {longest}; it must be at least {least}, the flits of a burst of"
            raise self.config.source.error((*path, key), f"{text} {beats} beats (axi4.max_burst_flits)")

    def _check_processors(self) -> None:
        section, count = self.section, len(self.config.network.processors)
        places = [((*AXI4, "regions", i, "processor"), region.processor) for i, region in enumerate(section.regions)]
        for i, window in enumerate(section.multicast):
            places += [((*AXI4, "multicast", i, "processors", k), number) for k, number in enumerate(window.processors)]
        if isinstance(section.managers, list):
            places += [((*AXI4, "managers", i), number) for i, number in enumerate(section.managers)]
        for path, number in places:
            if number >= count:
                text = f"processor is {number}; it must be at most {count - 1}, the last of the network"
                raise self.config.source.error(path, text)

    def _check_masks(self) -> None:
        path, section = (*AXI4, "multicast_mask"), self.section
        text = f"axi4.multicast_mask is {section.multicast_mask!r}"
        if section.lite:
            raise self.config.source.error(path, f"{text}; with axi4.lite it must be absent")
        if not self.config.family.multicasts(self.config.network_section):
            reason = f"family {self.config.family.name!r} has no multicast in hardware"
            raise self.config.source.error(path, f"{text}; it must be absent, since {reason}")
        try:
            self.areas.check_masks()
        except ValueError as error:
            raise self.config.source.error((*AXI4, "regions"), str(error)) from None

    def _check_lite(self) -> None:
        lite, bits = self.section.lite, self.section.data_bits
        if lite and bits not in LITE_DATA_BITS:
            text = f"axi4.data_bits is {bits}; with axi4.lite it must be one of {', '.join(map(str, LITE_DATA_BITS))}"
            raise self.config.source.error((*AXI4, "data_bits"), text)
        for i, processor in enumerate(lite):
            if processor not in (*self.managers, *self.areas.subordinates):
                text = f"processor is {processor}; it must have a manager or a subordinate"
                raise self.config.source.error((*AXI4, "lite", i), text)

    def _address_map(self) -> AddressMap:
        section, source = self.section, self.config.source
        regions = [
            Region(area.processor, area.base, area.size, area.processor in section.lite) for area in section.regions
        ]
        windows = [Window(tuple(area.processors), area.base, area.size) for area in section.multicast]
        # an error names the first area with which the map is wrong
        for count in range(1, len(regions) + len(windows) + 1):
            more = max(0, count - len(regions))
            try:
                found = AddressMap(regions[:count], windows[:more], section.address_bits)
            except ValueError as error:
                place = ("multicast", more - 1) if more else ("regions", count - 1)
                raise source.error((*AXI4, *place), str(error)) from None
        return found

    def _managers(self) -> tuple[int, ...]:
        given, processors = self.section.managers, range(len(self.config.network.processors))
        if isinstance(given, list):
            found = tuple(sorted(set(given)))
        else:
            found = tuple(i for i in processors if given == ALL or i not in self.areas.subordinates)
        if not found:
            text = "axi4.managers has no processor; it must have at least one"
            path = (*AXI4, "managers") if "managers" in self.config.source.data["axi4"] else AXI4
            raise self.config.source.error(path, text)
        return found

    @property
    def networks(self) -> "dict[str, Design]":
        """Both networks by name."""
        return {"requests": self.requests, "responses": self.responses}

    @property
    def header_word_bits(self) -> int:
        """Bits of a response's first word that its header has; 0 if the word has a flit of its own."""
        return self.format.header_word_bits(self.responses.routing.header)

    @property
    def write_response_flits(self) -> int:
        """Flits of the response to a write."""
        return self.responses.routing.header_flits((0,)) + (0 if self.header_word_bits else 1)

    @property
    def plan(self) -> "Axi4Plan":
        """The hardware."""
        from rtl.axi4.network import Axi4Plan

        self.check_hardware()
        section = self.section
        return Axi4Plan(
            *(self.requests.plan, self.responses.plan, self.format, self.areas, self.managers),
            write_beats=section.write_beats,
            whole=section.store_writes,
            pipelined=section.same_id == PIPELINED,
            pending=section.pending,
            cut_beats=section.max_burst_flits if section.max_burst_flits < MAX_BEATS else 0,
            lite=tuple(section.lite),
            timeout_cycles=section.timeout_cycles,
            delivery_buffer_flits=section.delivery_buffer_flits,
        )

    def check_hardware(self) -> None:
        """Refuse networks whose AXI4-Stream ends do not fit, or whose ports nothing would connect.

        Raises:
            ConfigError: Names the key.
        """
        for path, design in ((NETWORK, self.requests), (RESPONSES, self.responses)):
            self._check_ends(path if self.section.responses else NETWORK, design)

    def _check_ends(self, path: Any, design: "Design") -> None:
        from rtl.endpoints.axi_network import plan_modes

        family, network = design.family.name, design.network
        if not plan_modes(design.plan):
            raise self.config.source.error((*path, "family"), f"family {family!r} has no AXI4 ends")
        if design.family.loses_messages(design.config.network_section):
            text = f"{path[-1]} has faults; with AXI4 ends it must have none, since no request is sent again"
            raise self.config.source.error(path, text)
        section = design.config.network_section
        for key, value, right in (("counters", section.counters, False), ("tables", section.tables, "fixed")):
            if value != right:
                given, allowed = (str(entry).lower() for entry in (value, right))
                text = f"{path[-1]}.{key} is {given}; with AXI4 ends it must be {allowed}, since it adds ports"
                raise self.config.source.error((*path, key), text)
        deliveries = len(network.delivery_names_of(0))
        if max(network.injection_channels_per_processor, deliveries) > 1:
            text = f"processors have {network.injection_channels_per_processor} injection channels"
            text += f" and {deliveries} delivery channels; for AXI4 ends they must have 1 of each"
            raise self.config.source.error(path, text)

    def verilog(self, top: str) -> "GeneratedDesign":
        """Return the files of the hardware; see ``Design.axi4_verilog``."""
        from rtl.axi4.export import generate_axi4

        return generate_axi4(self.plan, top)
